-- A text in the column's own case, or with its blanks.
-- sqlite
SELECT Name FROM artist WHERE country = 'France'
SELECT Name FROM artist WHERE country = 'france'

SELECT x.Name FROM (SELECT Name, country AS land FROM artist) AS x WHERE x.land = 'France'
SELECT x.Name FROM (SELECT Name, country AS land FROM artist) AS x WHERE x.land = 'france'

SELECT Name FROM artist WHERE country <> 'France'
SELECT Name FROM artist WHERE country <> 'france'

SELECT Name FROM artist WHERE country LIKE 'France'
SELECT Name FROM artist WHERE country LIKE 'france'
