-- 画的标题和价格，价格最高的排在最前

-- sqlite
SELECT title, price FROM painting ORDER BY price DESC LIMIT 1
SELECT title, price FROM painting ORDER BY price DESC
