-- A group that is there has a row: a count of none wants those without one.

-- sqlite
SELECT m.museum_name FROM museum AS m JOIN visit AS v ON m.museum_id = v.museum_id GROUP BY m.museum_id HAVING COUNT(*) = 0
SELECT m.museum_name FROM museum AS m LEFT JOIN visit AS v ON m.museum_id = v.museum_id GROUP BY m.museum_id HAVING COUNT(v.museum_id) = 0

SELECT m.museum_name FROM museum AS m JOIN visit AS v ON m.museum_id = v.museum_id GROUP BY m.museum_id HAVING COUNT(v.id) < 1
SELECT m.museum_name FROM museum AS m LEFT JOIN visit AS v ON m.museum_id = v.museum_id GROUP BY m.museum_id HAVING COUNT(v.museum_id) < 1

SELECT m.museum_name FROM museum AS m JOIN visit AS v ON m.museum_id = v.museum_id GROUP BY m.museum_id HAVING COUNT(*) = 1
unchanged

SELECT m.museum_name FROM museum AS m LEFT JOIN visit AS v ON m.museum_id = v.museum_id GROUP BY m.museum_id HAVING COUNT(v.id) = 0
unchanged

SELECT m.museum_name FROM visit AS v JOIN museum AS m ON m.museum_id = v.museum_id GROUP BY m.museum_id HAVING COUNT(*) = 0
unchanged

SELECT m.museum_name FROM museum AS m JOIN visit AS v ON m.museum_id = v.museum_id WHERE v.paid > 3 GROUP BY m.museum_id HAVING COUNT(*) = 0
unchanged
