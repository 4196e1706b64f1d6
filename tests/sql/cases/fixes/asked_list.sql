-- *The names and countries of …*, and the names alone.

-- sqlite
SELECT Name FROM artist ORDER BY BirthYear
SELECT Name, country FROM artist ORDER BY BirthYear

SELECT a.Name FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id WHERE p.price > 5
SELECT a.Name, a.country FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id WHERE p.price > 5

SELECT region FROM city WHERE Population > 3 EXCEPT SELECT region FROM city WHERE Population > 8
SELECT region, city_name FROM city WHERE Population > 3 EXCEPT SELECT region, city_name FROM city WHERE Population > 8

SELECT country, Name FROM artist
unchanged

SELECT Name, BirthYear FROM artist
unchanged

SELECT Name FROM artist WHERE country = 'Spain'
unchanged

SELECT Name, COUNT(*) FROM artist
unchanged

SELECT museum_name FROM museum
unchanged
