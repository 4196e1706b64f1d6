-- Brackets around the arms of a union, which SQLite does not have.

-- sqlite
(SELECT title FROM painting) UNION (SELECT full_name FROM visitor)
SELECT title FROM painting UNION SELECT full_name FROM visitor

SELECT full_name FROM visitor UNION ALL (SELECT title FROM painting ORDER BY price LIMIT 1)
SELECT full_name FROM visitor UNION ALL SELECT * FROM (SELECT title FROM painting ORDER BY price LIMIT 1)

SELECT title FROM painting UNION SELECT full_name FROM visitor
unchanged

-- postgres
(SELECT title FROM painting) UNION (SELECT full_name FROM visitor)
unchanged
