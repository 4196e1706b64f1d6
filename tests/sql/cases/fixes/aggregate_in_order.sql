-- An order by what only groups have: the groups are those of what is shown.

-- sqlite
SELECT region FROM city ORDER BY COUNT(*) DESC LIMIT 1
SELECT region FROM city GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1

SELECT DISTINCT region FROM city ORDER BY SUM(Population)
SELECT region FROM city GROUP BY region ORDER BY SUM(Population)

SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id ORDER BY COUNT(v.id) DESC LIMIT 1
SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id GROUP BY m.museum_name ORDER BY COUNT(v.id) DESC LIMIT 1

SELECT region FROM city GROUP BY region ORDER BY COUNT(*)
unchanged

SELECT region, COUNT(*) FROM city ORDER BY COUNT(*)
unchanged

SELECT region FROM city ORDER BY Population
unchanged

SELECT region FROM city ORDER BY (SELECT COUNT(*) FROM museum)
unchanged

SELECT region FROM city ORDER BY COUNT(*) OVER (PARTITION BY region)
unchanged

SELECT * FROM city ORDER BY COUNT(*)
unchanged

-- postgres
SELECT region FROM city ORDER BY COUNT(*) DESC LIMIT 1
SELECT region FROM city GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1
