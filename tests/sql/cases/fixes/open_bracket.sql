-- Brackets that were never closed.

-- sqlite
SELECT title FROM painting WHERE artist_id IN (SELECT artist_id FROM artist WHERE country = 'Spain'
SELECT title FROM painting WHERE artist_id IN (SELECT artist_id FROM artist WHERE country = 'Spain')

SELECT COUNT(*) FROM (SELECT title FROM painting WHERE price > (SELECT AVG(price) FROM painting
SELECT COUNT(*) FROM (SELECT title FROM painting WHERE price > (SELECT AVG(price) FROM painting))

SELECT ((((1
unchanged

SELECT title FROM painting WHERE title = '(' AND (price > 3
SELECT title FROM painting WHERE title = '(' AND (price > 3)

SELECT title FROM (painting; DROP TABLE painting
unchanged
