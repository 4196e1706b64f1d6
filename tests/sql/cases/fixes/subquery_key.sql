-- A sub-query that selects the wrong key: the foreign key replaces it.

-- sqlite
SELECT full_name FROM visitor WHERE id NOT IN (SELECT museum_id FROM visit)
SELECT full_name FROM visitor WHERE NOT id IN (SELECT visitor_id FROM visit)

SELECT full_name FROM visitor WHERE id IN (SELECT person_id FROM visit WHERE paid > 10)
SELECT full_name FROM visitor WHERE id IN (SELECT visitor_id FROM visit WHERE paid > 10)

SELECT title FROM painting WHERE painting_id IN (SELECT artist_id FROM artist WHERE country = 'Spain')
SELECT title FROM painting WHERE artist_id IN (SELECT artist_id FROM artist WHERE country = 'Spain')

SELECT full_name FROM visitor WHERE id = (SELECT museum_id FROM visit ORDER BY paid DESC LIMIT 1)
SELECT full_name FROM visitor WHERE id = (SELECT visitor_id FROM visit ORDER BY paid DESC LIMIT 1)

SELECT museum_name FROM museum WHERE museum_id IN (SELECT loan_id FROM loan)
unchanged

SELECT full_name FROM visitor WHERE id IN (SELECT paid FROM visit)
unchanged

SELECT museum_name FROM museum WHERE museum_id IN (SELECT museum_id FROM visit)
unchanged

SELECT title FROM painting WHERE museum_id IN (SELECT museum_id FROM visit)
unchanged

-- postgres
SELECT full_name FROM visitor WHERE id NOT IN (SELECT museum_id FROM visit)
SELECT full_name FROM visitor WHERE NOT id IN (SELECT visitor_id FROM visit)
