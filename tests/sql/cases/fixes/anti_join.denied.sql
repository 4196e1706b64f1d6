-- *Museums without a visit*, and a column of a visit IS NULL: those that have none.

-- sqlite
SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id WHERE v.paid IS NULL
SELECT m.museum_name FROM museum AS m LEFT JOIN visit AS v ON v.museum_id = m.museum_id WHERE v.museum_id IS NULL

SELECT m.museum_name, v.visited_on FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id WHERE v.paid IS NULL
unchanged

SELECT museum_name FROM museum WHERE director IS NULL
unchanged
