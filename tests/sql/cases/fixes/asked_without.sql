-- *Museums without a painting over …*, and a query for those that have one.

-- sqlite
SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.price > 9
SELECT m.museum_name FROM museum AS m WHERE NOT m.museum_id IN (SELECT p.museum_id FROM painting AS p WHERE p.price > 9 AND NOT p.museum_id IS NULL)

SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE m.director = 'Tom Reed' AND p.price > 9
SELECT m.museum_name FROM museum AS m WHERE m.director = 'Tom Reed' AND NOT m.museum_id IN (SELECT p.museum_id FROM painting AS p WHERE p.price > 9 AND NOT p.museum_id IS NULL)

SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.title <> 'Dawn'
unchanged

SELECT m.museum_name, p.title FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.price > 9
unchanged

SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE m.director = 'Tom Reed' OR p.price > 9
unchanged

SELECT museum_name FROM museum WHERE director = 'Tom Reed'
unchanged
SELECT m.museum_name FROM museum AS m JOIN ticket AS t ON t.museum_id = m.museum_id WHERE t.is_refunded = 'No'
unchanged

SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id WHERE v.paid = 0
unchanged


-- postgres
SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.price > 9
SELECT m.museum_name FROM museum AS m WHERE NOT m.museum_id IN (SELECT p.museum_id FROM painting AS p WHERE p.price > 9 AND NOT p.museum_id IS NULL)
