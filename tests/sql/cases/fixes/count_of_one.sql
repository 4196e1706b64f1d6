-- A count of what a group has one of: its rows are counted.

-- sqlite
SELECT region, COUNT(DISTINCT region) FROM city GROUP BY region
SELECT region, COUNT(*) FROM city GROUP BY region

SELECT c.region FROM city AS c GROUP BY c.region HAVING COUNT(DISTINCT c.region) > 3
SELECT c.region FROM city AS c GROUP BY c.region HAVING COUNT(*) > 3

SELECT m.museum_name, COUNT(DISTINCT m.director) FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id GROUP BY m.museum_id
SELECT m.museum_name, COUNT(*) FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id GROUP BY m.museum_id

SELECT m.museum_name, COUNT(DISTINCT v.visitor_id) FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id GROUP BY m.museum_id
unchanged

SELECT region, COUNT(region) FROM city GROUP BY region
unchanged

SELECT region, COUNT(DISTINCT city_name) FROM city GROUP BY region
unchanged

SELECT COUNT(DISTINCT region) FROM city
unchanged

SELECT region, COUNT(DISTINCT region) OVER () FROM city GROUP BY region
unchanged

-- postgres
SELECT region, COUNT(DISTINCT region) FROM city GROUP BY region
SELECT region, COUNT(*) FROM city GROUP BY region
