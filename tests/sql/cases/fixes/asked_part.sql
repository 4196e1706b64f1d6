-- *That have the letter a*, and those that begin with one.

-- sqlite
SELECT Name FROM artist WHERE Name LIKE 'a%'
SELECT Name FROM artist WHERE Name LIKE '%a%'

SELECT Name FROM artist WHERE NOT Name LIKE '%a'
SELECT Name FROM artist WHERE NOT Name LIKE '%a%'

SELECT Name FROM artist WHERE Name LIKE '%a%'
unchanged

SELECT Name FROM artist WHERE Name LIKE 'a_b%'
unchanged

SELECT Name FROM artist WHERE Name LIKE 'a%' OR country LIKE 'b%'
unchanged
