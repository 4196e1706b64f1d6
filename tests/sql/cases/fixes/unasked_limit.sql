-- *Titles and prices, the most expensive first*, and one of them.

-- sqlite
SELECT title, price FROM painting WHERE price > 5 ORDER BY price DESC LIMIT 1
SELECT title, price FROM painting WHERE price > 5 ORDER BY price DESC

SELECT title FROM painting ORDER BY price DESC LIMIT 3
unchanged

SELECT title FROM painting LIMIT 1
unchanged

-- postgres
SELECT title FROM painting ORDER BY price DESC FETCH FIRST 1 ROWS ONLY
unchanged
