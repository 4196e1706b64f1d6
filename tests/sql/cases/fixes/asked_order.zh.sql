-- 价格大于5的画，按绘制日期排列

-- sqlite
SELECT title FROM painting WHERE price > 5 ORDER BY painted_on DESC
SELECT title FROM painting WHERE price > 5 ORDER BY painted_on ASC
