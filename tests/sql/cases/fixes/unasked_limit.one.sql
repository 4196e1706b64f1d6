-- 价格最高的画，按价格从高到低排列: one is asked for, too.

-- sqlite
SELECT title, price FROM painting ORDER BY price DESC LIMIT 1
unchanged
