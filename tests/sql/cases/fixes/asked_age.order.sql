-- *From the youngest to the oldest*: the last who was born comes first.

-- sqlite
SELECT Name FROM artist ORDER BY BirthYear
SELECT Name FROM artist ORDER BY BirthYear DESC

SELECT MIN(BirthYear), MAX(BirthYear) FROM artist
unchanged
