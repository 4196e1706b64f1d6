-- A text in the column's own spelling.

-- sqlite
SELECT Name FROM artist WHERE country = 'France'
SELECT Name FROM artist WHERE country = 'france'

SELECT Name FROM artist WHERE country IN ('SPAIN', 'cote d''ivoire')
SELECT Name FROM artist WHERE country IN ('Spain', 'Côte d''Ivoire')

SELECT x.Name FROM (SELECT Name, country AS land FROM artist) AS x WHERE x.land = 'France'
SELECT x.Name FROM (SELECT Name, country AS land FROM artist) AS x WHERE x.land = 'france'

SELECT Name FROM artist WHERE country <> 'France'
SELECT Name FROM artist WHERE country <> 'france'

SELECT Name FROM artist WHERE country LIKE 'France'
SELECT Name FROM artist WHERE country LIKE 'france'

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
