-- *…, sorted by year*, and the year beside them.

-- sqlite
SELECT Name, BirthYear FROM artist ORDER BY BirthYear
SELECT Name FROM artist ORDER BY BirthYear

SELECT p.title, p.price FROM painting AS p ORDER BY p.price DESC LIMIT 3
SELECT p.title FROM painting AS p ORDER BY p.price DESC LIMIT 3

SELECT Name, BirthYear FROM artist
unchanged

SELECT BirthYear FROM artist ORDER BY BirthYear
unchanged

SELECT Name, country FROM artist ORDER BY country
unchanged

SELECT DISTINCT Name, BirthYear FROM artist ORDER BY BirthYear
unchanged
