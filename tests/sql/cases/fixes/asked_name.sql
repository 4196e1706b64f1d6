-- *The names of the museums*, and the numbers that stand for them.

-- sqlite
SELECT museum_id FROM visit WHERE paid > 9
SELECT museum.museum_name FROM visit JOIN museum ON visit.museum_id = museum.museum_id WHERE paid > 9

SELECT museum_id FROM museum WHERE opened > '2000-01-01'
SELECT museum_name FROM museum WHERE opened > '2000-01-01'

SELECT p.museum_id, COUNT(*) FROM painting AS p GROUP BY p.museum_id
SELECT museum.museum_name, COUNT(*) FROM painting AS p JOIN museum ON p.museum_id = museum.museum_id GROUP BY p.museum_id, museum.museum_name

SELECT v.museum_id FROM visit AS v WHERE v.paid > 9 INTERSECT SELECT v.museum_id FROM visit AS v WHERE v.paid < 2
SELECT museum.museum_name FROM visit AS v JOIN museum ON v.museum_id = museum.museum_id WHERE v.paid > 9 INTERSECT SELECT museum.museum_name FROM visit AS v JOIN museum ON v.museum_id = museum.museum_id WHERE v.paid < 2

SELECT museum_id, museum_name FROM museum
unchanged

SELECT artist_id FROM painting
unchanged

SELECT lender, borrower FROM loan
unchanged

-- postgres
SELECT p.museum_id, COUNT(*) FROM painting AS p GROUP BY p.museum_id
SELECT museum.museum_name, COUNT(*) FROM painting AS p JOIN museum ON p.museum_id = museum.museum_id GROUP BY p.museum_id, museum.museum_name
