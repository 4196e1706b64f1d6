-- Calls of another engine.

-- sqlite
SELECT title FROM painting WHERE YEAR(painted_on) = 1990
SELECT title FROM painting WHERE CAST(STRFTIME('%Y', painted_on) AS INTEGER) = 1990

SELECT EXTRACT(MONTH FROM painted_on), DATE_PART('day', painted_on), QUARTER(painted_on) FROM painting
SELECT CAST(STRFTIME('%m', painted_on) AS INTEGER), CAST(STRFTIME('%d', painted_on) AS INTEGER), ((CAST(STRFTIME('%m', painted_on) AS INTEGER) + 2) / 3) FROM painting

SELECT DATE_TRUNC('month', painted_on) FROM painting
SELECT DATE(painted_on, 'start of month') FROM painting

SELECT DATE_FORMAT(painted_on, '%Y-%m'), TO_CHAR(painted_on, 'YYYY-MM') FROM painting
SELECT STRFTIME('%Y-%m', painted_on), STRFTIME('%Y-%m', painted_on) FROM painting

SELECT DATE_FORMAT(painted_on, '%M') FROM painting
unchanged

SELECT CONCAT(full_name, ' ', home_city) FROM visitor
SELECT full_name || ' ' || home_city FROM visitor

SELECT LEFT(title, 3), RIGHT(title, 2) FROM painting
SELECT SUBSTRING(title, 1, 3), SUBSTRING(title, -2) FROM painting

SELECT title FROM painting WHERE painted_on > CURRENT_DATE - INTERVAL '7 days'
SELECT title FROM painting WHERE painted_on > DATE(CURRENT_DATE, '-7 day')

SELECT title FROM painting WHERE painted_on > DATE_SUB(NOW(), INTERVAL 2 WEEK)
SELECT title FROM painting WHERE painted_on > DATETIME(CURRENT_TIMESTAMP, '-14 day')

SELECT ISNULL(price, 0), GETDATE(), CURDATE() FROM painting
SELECT COALESCE(price, 0), CURRENT_TIMESTAMP, CURRENT_DATE FROM painting

SELECT CAST(price AS SIGNED) FROM painting
SELECT CAST(price AS INTEGER) FROM painting

SELECT title FROM painting WHERE artist_id = ANY (SELECT artist_id FROM artist)
SELECT title FROM painting WHERE artist_id IN (SELECT artist_id FROM artist)

SELECT title FROM painting WHERE price >= ALL (SELECT price FROM painting)
SELECT title FROM painting WHERE price >= (SELECT MAX(price) FROM painting)

SELECT STRFTIME('%Y', painted_on) FROM painting
unchanged

-- postgres
SELECT STRFTIME('%Y-%m', painted_on) FROM painting
SELECT TO_CHAR(painted_on, 'YYYY-MM') FROM painting

SELECT STRFTIME('%Y', visited_on) FROM visit
SELECT TO_CHAR(CAST(visited_on AS TIMESTAMP), 'YYYY') FROM visit

SELECT DATE_FORMAT(painted_on, '%Y'), ISNULL(price, 0), QUARTER(painted_on) FROM painting
SELECT TO_CHAR(painted_on, 'YYYY'), COALESCE(price, 0), EXTRACT(QUARTER FROM painted_on) FROM painting

SELECT EXTRACT(YEAR FROM painted_on), DATE_TRUNC('month', painted_on), TO_CHAR(painted_on, 'YYYY') FROM painting
unchanged

-- duckdb
SELECT DATE_FORMAT(painted_on, '%Y-%m'), TO_CHAR(painted_on, 'YYYY'), CURDATE() FROM painting
SELECT STRFTIME(painted_on, '%Y-%m'), STRFTIME(painted_on, '%Y'), CURRENT_DATE FROM painting

-- mysql
SELECT STRFTIME('%Y-%m-%d %H:%M', painted_on), TO_CHAR(painted_on, 'YYYY-MM') FROM painting
SELECT DATE_FORMAT(painted_on, '%Y-%m-%d %H:%i'), DATE_FORMAT(painted_on, '%Y-%m') FROM painting

SELECT full_name || ' ' || home_city FROM visitor
SELECT CONCAT(full_name, ' ', home_city) FROM visitor

SELECT title FROM painting WHERE price > 3 OR price < 1
unchanged

SELECT title FROM painting WHERE title = 'x' OR 'y'
unchanged
