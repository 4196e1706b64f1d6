-- A condition on rows among those on groups.

-- sqlite
SELECT p.museum_id FROM painting AS p GROUP BY p.museum_id HAVING COUNT(*) > 2 AND p.title = 'Dawn'
SELECT p.museum_id FROM painting AS p WHERE p.title = 'Dawn' GROUP BY p.museum_id HAVING COUNT(*) > 2

SELECT museum_id, COUNT(*) FROM painting WHERE price > 3 GROUP BY museum_id HAVING title = 'Dawn'
SELECT museum_id, COUNT(*) FROM painting WHERE price > 3 AND title = 'Dawn' GROUP BY museum_id

SELECT museum_id, COUNT(*) AS n FROM painting GROUP BY museum_id HAVING n > 2
unchanged

SELECT museum_id, COUNT(*) FROM painting GROUP BY museum_id HAVING museum_id > 2 AND COUNT(*) > 1
unchanged

SELECT museum_id FROM painting GROUP BY museum_id HAVING AVG(price) > 2 OR title = 'Dawn'
unchanged
