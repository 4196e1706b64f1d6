-- Columns beside an aggregate, on engines that want them grouped.

-- postgres
SELECT artist_id, COUNT(*) FROM painting
SELECT artist_id, COUNT(*) FROM painting GROUP BY artist_id

SELECT artist_id AS who, AVG(price) AS mean FROM painting ORDER BY mean
SELECT artist_id AS who, AVG(price) AS mean FROM painting GROUP BY artist_id ORDER BY mean

SELECT title, MAX(price) FROM painting
unchanged

SELECT title || 'x', COUNT(*) FROM painting
unchanged

SELECT artist_id, COUNT(*) FROM painting GROUP BY artist_id
unchanged

SELECT artist_id, COUNT(*) OVER () FROM painting
unchanged

-- duckdb
SELECT a."Name", COUNT(*) FROM artist AS a JOIN painting AS p ON a.artist_id = p.artist_id GROUP BY a.artist_id
SELECT a."Name", COUNT(*) FROM artist AS a JOIN painting AS p ON a.artist_id = p.artist_id GROUP BY a.artist_id, a."Name"

SELECT museum_id, COUNT(*) FROM painting GROUP BY artist_id
unchanged

-- sqlite
SELECT artist_id, COUNT(*) FROM painting
unchanged
