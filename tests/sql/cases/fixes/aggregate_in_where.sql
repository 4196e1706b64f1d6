-- A condition on a group that stands in WHERE.

-- sqlite
SELECT artist_id FROM painting WHERE COUNT(*) > 3 GROUP BY artist_id
SELECT artist_id FROM painting GROUP BY artist_id HAVING COUNT(*) > 3

SELECT artist_id FROM painting WHERE price > 3 AND SUM(price) > 10 GROUP BY artist_id HAVING COUNT(*) > 1
SELECT artist_id FROM painting WHERE price > 3 GROUP BY artist_id HAVING COUNT(*) > 1 AND SUM(price) > 10

SELECT artist_id FROM painting WHERE COUNT(*) > 3
SELECT artist_id FROM painting GROUP BY artist_id HAVING COUNT(*) > 3

SELECT m.museum_id, SUM(p.price) FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE m.opened > '2000-01-01' AND SUM(p.price) > 50
SELECT m.museum_id, SUM(p.price) FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE m.opened > '2000-01-01' GROUP BY m.museum_id HAVING SUM(p.price) > 50

SELECT COUNT(*) FROM painting WHERE COUNT(*) > 3
unchanged

SELECT artist_id FROM painting WHERE price > (SELECT AVG(price) FROM painting) GROUP BY artist_id
unchanged
