-- *The museums whose average price is over 9, and the number of their paintings*: never a price but on average.

-- sqlite
SELECT p.museum_id, COUNT(*) FROM painting AS p WHERE p.price > 9 GROUP BY p.museum_id
SELECT p.museum_id, COUNT(*) FROM painting AS p GROUP BY p.museum_id HAVING AVG(p.price) > 9

SELECT museum_id, SUM(price) FROM painting WHERE price > 9 AND title = 'Dawn' GROUP BY museum_id
SELECT museum_id, SUM(price) FROM painting WHERE title = 'Dawn' GROUP BY museum_id HAVING AVG(price) > 9

SELECT title FROM painting WHERE price > 9
unchanged

SELECT museum_id, COUNT(*) FROM visit WHERE paid > 9 GROUP BY museum_id
unchanged
