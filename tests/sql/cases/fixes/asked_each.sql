-- *… of each country*, and one figure of all of them.

-- sqlite
SELECT COUNT(*) FROM artist
SELECT country, COUNT(*) FROM artist GROUP BY country

SELECT MAX(p.price), AVG(p.price) FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id
SELECT a.country, MAX(p.price), AVG(p.price) FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id GROUP BY a.country

SELECT SUM(Population) AS people FROM city WHERE Population > 5
SELECT region, SUM(Population) AS people FROM city WHERE Population > 5 GROUP BY region

SELECT COUNT(DISTINCT country) FROM artist
unchanged

SELECT COUNT(*) FROM artist GROUP BY BirthYear
unchanged

SELECT Name, COUNT(*) FROM artist
unchanged

SELECT COUNT(*) FROM museum
unchanged

-- postgres
SELECT SUM("Population") FROM city
SELECT region, SUM("Population") FROM city GROUP BY region
