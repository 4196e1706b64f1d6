-- A condition on a placeholder: asked of each, so by each.

-- sqlite
SELECT COUNT(DISTINCT title) FROM painting WHERE artist_id = ?
SELECT artist_id, COUNT(DISTINCT title) FROM painting GROUP BY artist_id

SELECT AVG(p.price) FROM painting AS p WHERE p.museum_id = :museum AND p.price > 3
SELECT p.museum_id, AVG(p.price) FROM painting AS p WHERE p.price > 3 GROUP BY p.museum_id

SELECT artist_id, MAX(price) FROM painting WHERE artist_id = ?
SELECT artist_id, MAX(price) FROM painting GROUP BY artist_id

SELECT title FROM painting WHERE artist_id = ?
unchanged

SELECT COUNT(*) FROM painting WHERE artist_id = ? AND museum_id = ?
unchanged

SELECT COUNT(*) FROM painting WHERE price > ?
unchanged
