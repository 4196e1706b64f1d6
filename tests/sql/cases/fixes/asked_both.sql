-- *Both … and …*, of rows that a thing may have many of: the ones INTERSECT the others.

-- sqlite
SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.title = 'Dawn' OR p.title = 'Dusk'
SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.title = 'Dawn' INTERSECT SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.title = 'Dusk'

SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE m.director = 'Tom Reed' AND p.title IN ('Dawn', 'Dusk')
SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE m.director = 'Tom Reed' AND p.title = 'Dawn' INTERSECT SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE m.director = 'Tom Reed' AND p.title = 'Dusk'

SELECT title FROM painting WHERE title IN ('Dawn', 'Dusk')
unchanged

SELECT p.title FROM painting AS p JOIN museum AS m ON p.museum_id = m.museum_id WHERE m.director IN ('Tom Reed', 'Ada Weiß')
unchanged

SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.title IN ('Dawn', 'Dusk', 'Noon')
unchanged

SELECT COUNT(m.museum_name) FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.title IN ('Dawn', 'Dusk')
unchanged
