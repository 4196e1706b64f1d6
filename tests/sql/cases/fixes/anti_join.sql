-- What a row is joined by, or its key, is never NULL: those without such a row were asked for.

-- sqlite
SELECT v.full_name FROM visitor AS v JOIN visit AS t ON v.id = t.visitor_id WHERE t.id IS NULL
SELECT v.full_name FROM visitor AS v LEFT JOIN visit AS t ON v.id = t.visitor_id WHERE t.id IS NULL

SELECT m.director FROM museum AS m INNER JOIN painting AS p ON m.museum_id = p.museum_id WHERE p.museum_id IS NULL
SELECT m.director FROM museum AS m LEFT JOIN painting AS p ON m.museum_id = p.museum_id WHERE p.museum_id IS NULL

SELECT v.full_name FROM visitor AS v JOIN visit AS t ON v.id = t.visitor_id WHERE t.paid IS NULL
unchanged

SELECT v.full_name FROM visitor AS v JOIN visit AS t ON v.id = t.visitor_id WHERE NOT t.id IS NULL
unchanged

SELECT v.full_name FROM visitor AS v JOIN visit AS t ON v.id = t.visitor_id WHERE v.full_name IS NULL
unchanged
