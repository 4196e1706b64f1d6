-- A ratio of integers, where `/` between integers gives an integer.

-- sqlite
SELECT COUNT(museum_id) / COUNT(*) FROM painting
SELECT 1.0 * COUNT(museum_id) / COUNT(*) FROM painting

SELECT SUM(CASE WHEN price > 3 THEN 1 ELSE 0 END) * 100 / COUNT(*) FROM painting
SELECT 1.0 * SUM(CASE WHEN price > 3 THEN 1 ELSE 0 END) * 100 / COUNT(*) FROM painting

SELECT SUM(price) / COUNT(*) FROM painting
SELECT 1.0 * SUM(price) / COUNT(*) FROM painting

SELECT (SELECT COUNT(*) FROM painting) / (SELECT COUNT(*) FROM artist)
SELECT 1.0 * (SELECT COUNT(*) FROM painting) / (SELECT COUNT(*) FROM artist)

SELECT CAST(COUNT(museum_id) / COUNT(*) AS INTEGER) FROM painting
unchanged

SELECT CAST(COUNT(museum_id) AS REAL) / COUNT(*) FROM painting
unchanged

SELECT COUNT(museum_id) * 1.0 / COUNT(*) FROM painting
unchanged

SELECT COUNT(*) / 10 FROM painting
unchanged

SELECT price / 10 FROM painting
unchanged

SELECT SUM(price / 2) / COUNT(*) FROM painting
unchanged

-- postgres
SELECT COUNT(museum_id) / COUNT(*) FROM painting
SELECT 1.0 * COUNT(museum_id) / COUNT(*) FROM painting

-- duckdb
SELECT COUNT(museum_id) / COUNT(*) FROM painting
unchanged
