-- A text in the column's own spelling.
-- sqlite
SELECT Name FROM artist WHERE country IN ('SPAIN', 'cote d''ivoire')
SELECT Name FROM artist WHERE country IN ('Spain', 'Côte d''Ivoire')

SELECT Name FROM artist WHERE country LIKE 'Fran%'
unchanged

SELECT Name FROM artist WHERE country = 'Spain'
unchanged

SELECT Name FROM artist WHERE country = 'Norway'
unchanged

SELECT title FROM painting WHERE title = 'SPAIN'
unchanged

SELECT Name FROM artist WHERE country > 'France'
unchanged

SELECT kind FROM ticket WHERE has_discount = 'Y'
SELECT kind FROM ticket WHERE has_discount = 1

SELECT kind FROM ticket WHERE has_discount = 'Day'
unchanged
