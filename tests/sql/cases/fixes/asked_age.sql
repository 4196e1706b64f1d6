-- *The oldest artist*, and the one who was born last.

-- sqlite
SELECT Name FROM artist ORDER BY BirthYear DESC LIMIT 1
SELECT Name FROM artist ORDER BY BirthYear ASC LIMIT 1

SELECT Name FROM artist WHERE BirthYear = (SELECT MAX(BirthYear) FROM artist)
SELECT Name FROM artist WHERE BirthYear = (SELECT MIN(BirthYear) FROM artist)

SELECT Name FROM artist ORDER BY BirthYear ASC LIMIT 1
unchanged

SELECT Name FROM artist ORDER BY country DESC, BirthYear DESC
unchanged

SELECT title FROM painting ORDER BY painted_on DESC LIMIT 1
unchanged

-- postgres
SELECT "Name" FROM artist ORDER BY "BirthYear" DESC LIMIT 1
SELECT "Name" FROM artist ORDER BY "BirthYear" ASC LIMIT 1
