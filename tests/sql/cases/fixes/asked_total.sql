-- *The total population of each region*, and a count of cities.

-- sqlite
SELECT region, COUNT(*) FROM city GROUP BY region
SELECT region, SUM(Population) FROM city GROUP BY region

SELECT COUNT(c.Population) FROM city AS c JOIN museum AS m ON m.city_id = c.city_id
SELECT SUM(c.Population) FROM city AS c

SELECT COUNT(DISTINCT region) FROM city
unchanged

SELECT museum_id, COUNT(*) FROM visit GROUP BY museum_id
unchanged

SELECT region, SUM(Population), COUNT(*) FROM city GROUP BY region
unchanged
