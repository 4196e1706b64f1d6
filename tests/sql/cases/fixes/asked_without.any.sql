-- *Without any painting*, and only paintings of a kind that nobody named.

-- sqlite
SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.title = 'Dawn'
SELECT m.museum_name FROM museum AS m WHERE NOT m.museum_id IN (SELECT p.museum_id FROM painting AS p WHERE NOT p.museum_id IS NULL)

SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.price = 0
SELECT m.museum_name FROM museum AS m WHERE NOT m.museum_id IN (SELECT p.museum_id FROM painting AS p WHERE NOT p.museum_id IS NULL)

SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.price > 9
SELECT m.museum_name FROM museum AS m WHERE NOT m.museum_id IN (SELECT p.museum_id FROM painting AS p WHERE p.price > 9 AND NOT p.museum_id IS NULL)
