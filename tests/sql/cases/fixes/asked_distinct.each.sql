-- *The number of different visitors of each …*

-- sqlite
SELECT museum_id, COUNT(visitor_id) FROM visit GROUP BY museum_id
SELECT museum_id, COUNT(DISTINCT visitor_id) FROM visit GROUP BY museum_id

SELECT museum_id, COUNT(paid) FROM visit GROUP BY museum_id
unchanged

SELECT museum_id, COUNT(*) FROM visit GROUP BY museum_id
unchanged
