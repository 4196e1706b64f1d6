-- A column on the alias of a table that does not have it.

-- sqlite
SELECT m.museum_id, m.title FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE m.director = 'Tom Reed'
SELECT p.museum_id, p.title FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE m.director = 'Tom Reed'

SELECT T2.country FROM artist AS T1 JOIN painting AS T2 ON T1.artist_id = T2.artist_id WHERE T2.price > 3
SELECT T1.country FROM artist AS T1 JOIN painting AS T2 ON T1.artist_id = T2.artist_id WHERE T2.price > 3

SELECT T1.title, T2.BirthYear FROM artist AS T1 JOIN painting AS T2 ON T1.artist_id = T2.artist_id
SELECT T2.title, T1.BirthYear FROM artist AS T1 JOIN painting AS T2 ON T1.artist_id = T2.artist_id

SELECT artist.country FROM artist AS a
SELECT a.country FROM artist AS a

SELECT T3.title FROM painting AS T1
SELECT T1.title FROM painting AS T1

SELECT T2.museum_id FROM artist AS T1 JOIN city AS T2 JOIN painting AS T3 JOIN museum AS T4
unchanged

SELECT T1.artist_id FROM city AS T1 JOIN artist AS T2 JOIN painting AS T3 ON T2.artist_id = T3.artist_id
SELECT T2.artist_id FROM city AS T1 JOIN artist AS T2 ON TRUE JOIN painting AS T3 ON T2.artist_id = T3.artist_id

SELECT T1.country FROM artist AS T1 WHERE T1.artist_id IN (SELECT T1.price FROM artist AS T1 JOIN painting AS T2 ON T1.artist_id = T2.artist_id)
SELECT T1.country FROM artist AS T1 WHERE T1.artist_id IN (SELECT T2.price FROM painting AS T2)

SELECT T1.lent FROM painting AS T1 JOIN artist AS T2 ON T1.artist_id = T2.artist_id
unchanged

SELECT T2.price FROM painting AS T1 JOIN (SELECT museum_id FROM museum) AS T2 ON T1.museum_id = T2.museum_id
SELECT T1.price FROM painting AS T1 JOIN (SELECT museum_id FROM museum) AS T2 ON T1.museum_id = T2.museum_id

SELECT T2.price FROM painting AS T1 JOIN elsewhere AS T2 ON T1.museum_id = T2.museum_id
unchanged

SELECT T2.museum_id FROM painting AS T1
unchanged

SELECT m.museum_name FROM museum AS m WHERE m.opened > (SELECT MAX(m.opened) FROM museum)
SELECT m.museum_name FROM museum AS m WHERE m.opened > (SELECT MAX(museum.opened) FROM museum)

SELECT p.title FROM painting AS p WHERE p.price > (SELECT AVG(p.price) FROM painting AS q)
SELECT p.title FROM painting AS p WHERE p.price > (SELECT AVG(q.price) FROM painting AS q)

SELECT p.title FROM painting AS p WHERE p.price > (SELECT AVG(q.price) FROM painting AS q WHERE q.artist_id = p.artist_id)
unchanged

SELECT a.museum_name, l.museum_name, l.days FROM museum AS a JOIN loan AS l ON l.lender = a.museum_id JOIN museum AS b ON b.museum_id = l.borrower
SELECT a.museum_name, b.museum_name, l.days FROM museum AS a JOIN loan AS l ON l.lender = a.museum_id JOIN museum AS b ON b.museum_id = l.borrower
