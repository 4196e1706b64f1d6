-- A table of which nothing but its ON is used: dropped when it is joined many to one along a foreign key.

-- sqlite
SELECT p.title FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id
SELECT p.title FROM painting AS p

SELECT p.title FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id WHERE p.price > 3
SELECT p.title FROM painting AS p WHERE p.price > 3

SELECT COUNT(*) FROM painting AS p JOIN museum AS m ON p.museum_id = m.museum_id JOIN city AS c ON m.city_id = c.city_id
SELECT COUNT(*) FROM painting AS p

SELECT title FROM painting JOIN museum ON painting.museum_id = museum.museum_id
SELECT title FROM painting

SELECT a.country FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id
unchanged

SELECT p.title FROM painting AS p LEFT JOIN artist AS a ON p.artist_id = a.artist_id
unchanged

SELECT p.title FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id WHERE a.country = 'Spain'
unchanged

SELECT p.title FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id AND a.country = 'Spain'
unchanged

SELECT p.title FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id WHERE country = 'Spain'
unchanged

SELECT * FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id
unchanged

SELECT a.* FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id
unchanged

SELECT p.title FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id WHERE EXISTS (SELECT 1 FROM city WHERE region = a.country)
unchanged

SELECT v.paid FROM visit AS v JOIN museum AS m ON v.museum_id = m.museum_id JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.price > 3
unchanged

SELECT l.days FROM loan AS l JOIN museum AS m ON l.lender = m.museum_id
SELECT l.days FROM loan AS l
