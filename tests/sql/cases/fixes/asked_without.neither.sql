-- *With neither a Dawn nor a Dusk*, and a query for those with another painting.

-- sqlite
SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.title <> 'Dawn' AND p.title <> 'Dusk'
SELECT m.museum_name FROM museum AS m WHERE NOT m.museum_id IN (SELECT p.museum_id FROM painting AS p WHERE (p.title = 'Dawn' OR p.title = 'Dusk') AND NOT p.museum_id IS NULL)

SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE m.director <> 'Tom Reed' AND p.title = 'Dawn' AND m.opened > (SELECT MIN(opened) FROM museum)
SELECT m.museum_name FROM museum AS m WHERE m.director <> 'Tom Reed' AND m.opened > (SELECT MIN(opened) FROM museum) AND NOT m.museum_id IN (SELECT p.museum_id FROM painting AS p WHERE p.title = 'Dawn' AND NOT p.museum_id IS NULL)

SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.price > 9 AND m.city_id > (SELECT AVG(city_id) FROM city)
SELECT m.museum_name FROM museum AS m WHERE m.city_id > (SELECT AVG(city_id) FROM city) AND NOT m.museum_id IN (SELECT p.museum_id FROM painting AS p WHERE p.price > 9 AND NOT p.museum_id IS NULL)
