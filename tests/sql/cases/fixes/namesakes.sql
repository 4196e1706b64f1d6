-- Grouped by the name of a thing, over rows that refer to it: by its key as well, since names are not keys.

-- sqlite
SELECT m.museum_name, COUNT(*) FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id GROUP BY m.museum_name
SELECT m.museum_name, COUNT(*) FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id GROUP BY m.museum_name, m.museum_id

SELECT full_name FROM visitor JOIN visit ON visitor.id = visit.visitor_id GROUP BY full_name ORDER BY COUNT(*) DESC LIMIT 1
SELECT full_name FROM visitor JOIN visit ON visitor.id = visit.visitor_id GROUP BY full_name, visitor.id ORDER BY COUNT(*) DESC LIMIT 1

SELECT v.home_city, COUNT(*) FROM visitor AS v JOIN visit AS t ON t.visitor_id = v.id GROUP BY v.home_city
unchanged

SELECT museum_name, COUNT(*) FROM museum GROUP BY museum_name
unchanged

SELECT m.museum_name, MAX(c.region) FROM museum AS m JOIN city AS c ON m.city_id = c.city_id GROUP BY m.museum_name
unchanged

SELECT m.museum_name, v.paid, COUNT(*) FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id GROUP BY m.museum_name, v.paid
unchanged

-- postgres
SELECT m.museum_name, COUNT(*) FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id GROUP BY m.museum_name
SELECT m.museum_name, COUNT(*) FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id GROUP BY m.museum_name, m.museum_id
