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

-- sqlite
SELECT T2.n FROM (artist AS T1 JOIN (SELECT artist_id AS a, titel AS n FROM painting) AS T2 ON T2.a = T1.artist_id)
SELECT T2.n FROM (artist AS T1 JOIN (SELECT artist_id AS a, title AS n FROM painting) AS T2 ON T2.a = T1.artist_id)

-- postgres
SELECT a.name, p.title FROM artist AS a CROSS JOIN LATERAL (SELECT q.titel AS title FROM painting AS q) AS p
SELECT a.name, p.title FROM artist AS a CROSS JOIN LATERAL (SELECT q.title AS title FROM painting AS q) AS p

-- duckdb
SELECT * FROM (PIVOT (SELECT p.artist_id, p.titel, p.price FROM painting AS p) ON title USING SUM(price))
SELECT * FROM (PIVOT (SELECT p.artist_id, p.title, p.price FROM painting AS p) ON title USING SUM(price))

-- clickhouse
WITH 5 AS titles SELECT titles FROM painting
unchanged

-- sqlite
SELECT titel FROM painting WHERE 1 IN titles
unchanged
