-- 画的标题和价格，按价格从高到低排列

-- sqlite
SELECT title, price FROM painting ORDER BY price DESC LIMIT 1
SELECT title, price FROM painting ORDER BY price DESC
