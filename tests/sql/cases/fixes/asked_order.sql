-- *Paintings of artists with at least two of them, sorted by price*, and the dearest first, which nobody said.

-- sqlite
SELECT title FROM painting ORDER BY price DESC
SELECT title FROM painting ORDER BY price ASC

SELECT artist_id FROM painting GROUP BY artist_id HAVING COUNT(*) >= 2 ORDER BY SUM(price) DESC
SELECT artist_id FROM painting GROUP BY artist_id HAVING COUNT(*) >= 2 ORDER BY SUM(price) ASC

SELECT title FROM painting ORDER BY price
unchanged

SELECT title FROM painting ORDER BY price DESC LIMIT 3
unchanged

SELECT title FROM painting ORDER BY price DESC, title
unchanged

-- postgres
SELECT title FROM painting ORDER BY price DESC FETCH FIRST 3 ROWS ONLY
unchanged
