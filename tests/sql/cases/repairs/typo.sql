-- One letter off, and no table has the name as it is written. A digit is no letter.

-- sqlite
SELECT contry FROM artist
SELECT country FROM artist

SELECT T1.drector FROM museum AS T1
SELECT T1.director FROM museum AS T1

SELECT titel FROM painting
SELECT title FROM painting

SELECT pric FROM painting
unchanged

SELECT ward1 FROM (SELECT region AS ward2 FROM city) AS x
unchanged

SELECT lendr FROM loan
SELECT lender FROM loan
