-- *Museums with a painting but without a visit*, and a query for those without a visit.

-- sqlite
SELECT museum_name FROM museum WHERE museum_id NOT IN (SELECT museum_id FROM visit)
SELECT museum_name FROM museum WHERE NOT museum_id IN (SELECT museum_id FROM visit) AND museum_id IN (SELECT museum_id FROM painting)

SELECT m.museum_name FROM museum AS m LEFT JOIN visit AS v ON v.museum_id = m.museum_id WHERE v.id IS NULL
SELECT m.museum_name FROM museum AS m LEFT JOIN visit AS v ON v.museum_id = m.museum_id WHERE v.id IS NULL AND m.museum_id IN (SELECT museum_id FROM painting)

SELECT museum_name FROM museum WHERE museum_id IN (SELECT museum_id FROM painting) AND museum_id NOT IN (SELECT museum_id FROM visit)
unchanged

SELECT museum_name FROM museum WHERE director = 'Tom Reed'
unchanged

SELECT city_name FROM city WHERE city_id NOT IN (SELECT city_id FROM museum)
unchanged

-- postgres
SELECT museum_name FROM museum WHERE museum_id NOT IN (SELECT museum_id FROM visit)
SELECT museum_name FROM museum WHERE NOT museum_id IN (SELECT museum_id FROM visit) AND museum_id IN (SELECT museum_id FROM painting)
