-- A count of a column that no table has: the rows are counted.

-- sqlite
SELECT m.museum_name, COUNT(v.visit_number) FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id GROUP BY m.museum_id
SELECT m.museum_name, COUNT(*) FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id GROUP BY m.museum_id

SELECT COUNT(visit_number) FROM visit
SELECT COUNT(*) FROM visit

SELECT COUNT(DISTINCT visit_number) FROM visit
unchanged

SELECT COUNT(title) FROM visit
unchanged

SELECT COUNT(person) FROM visit
SELECT COUNT(*) FROM visit

SELECT COUNT(visitor) FROM visit
unchanged

SELECT SUM(visit_number) FROM visit
unchanged

-- postgres
SELECT COUNT(visit_number) FROM visit
SELECT COUNT(*) FROM visit
