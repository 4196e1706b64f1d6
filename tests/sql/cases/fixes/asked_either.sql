-- *Of Spain or born before 1900*, and AND between the two.

-- sqlite
SELECT Name FROM artist WHERE country = 'Spain' AND BirthYear < 1900
SELECT Name FROM artist WHERE (country = 'Spain' OR BirthYear < 1900)

SELECT Name FROM artist WHERE country = 'Spain' AND Name LIKE 'R%' AND BirthYear < 1900
SELECT Name FROM artist WHERE Name LIKE 'R%' AND (country = 'Spain' OR BirthYear < 1900)

SELECT Name FROM artist WHERE country = 'Spain' OR BirthYear < 1900
unchanged

SELECT Name FROM artist WHERE country = 'Spain' AND BirthYear < 1800
unchanged

SELECT Name FROM artist WHERE country = 'Spain'
unchanged
