-- Two conditions that no row can meet, on a plain list: what has a row of each kind.

-- sqlite
SELECT country FROM artist WHERE BirthYear > 1950 AND BirthYear < 1900
SELECT country FROM artist WHERE BirthYear > 1950 INTERSECT SELECT country FROM artist WHERE BirthYear < 1900

SELECT a.Name FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id WHERE p.title = 'Rain' AND p.title = 'Snow' AND p.price > 3
SELECT a.Name FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id WHERE p.title = 'Rain' AND p.price > 3 INTERSECT SELECT a.Name FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id WHERE p.title = 'Snow' AND p.price > 3

SELECT country FROM artist WHERE BirthYear > 1900 AND BirthYear < 1950
unchanged

SELECT country FROM artist WHERE BirthYear >= 1900 AND BirthYear <= 1900
unchanged

SELECT COUNT(*) FROM artist WHERE BirthYear > 1950 AND BirthYear < 1900
unchanged

SELECT title FROM painting WHERE title = 'Rain' AND title = 'rain'
unchanged

SELECT title FROM painting WHERE title = 'Rain' AND title = 'Snow' AND title = 'Hail'
unchanged

SELECT title FROM painting WHERE title = 'Rain' AND title = 'Snow' ORDER BY price LIMIT 1
unchanged

SELECT title FROM painting WHERE price = 3 AND painted_on = '2020-01-01'
unchanged

-- duckdb
SELECT country FROM artist WHERE BirthYear > 1950 AND BirthYear < 1900
SELECT country FROM artist WHERE BirthYear > 1950 INTERSECT SELECT country FROM artist WHERE BirthYear < 1900
