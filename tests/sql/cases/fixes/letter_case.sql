-- A text compared with a folded column is folded like it.

-- sqlite
SELECT Name FROM artist WHERE LOWER(country) = 'Spain'
SELECT Name FROM artist WHERE LOWER(country) = 'spain'

SELECT Name FROM artist WHERE UPPER(country) = 'Spain'
SELECT Name FROM artist WHERE UPPER(country) = 'SPAIN'

SELECT Name FROM artist WHERE LOWER(country) = 'spain'
unchanged

SELECT Name FROM artist WHERE LOWER(country) LIKE '%Spain%'
unchanged
