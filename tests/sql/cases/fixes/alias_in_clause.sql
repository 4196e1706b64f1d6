-- An alias where the engine does not know it.

-- postgres
SELECT price * 2 AS twice FROM painting WHERE twice > 3
SELECT price * 2 AS twice FROM painting WHERE (price * 2) > 3

SELECT artist_id, COUNT(*) AS n FROM painting GROUP BY artist_id HAVING n > 3
SELECT artist_id, COUNT(*) AS n FROM painting GROUP BY artist_id HAVING COUNT(*) > 3

SELECT artist_id, COUNT(*) AS n FROM painting WHERE n > 3 GROUP BY artist_id
unchanged

SELECT artist_id AS price FROM painting WHERE price > 3
unchanged

SELECT price * 2 AS twice FROM painting ORDER BY twice
unchanged

-- sqlite
SELECT price * 2 AS twice FROM painting WHERE twice > 3
unchanged
