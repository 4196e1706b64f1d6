-- Clauses and quotes of another engine, where the text cannot be read otherwise.

-- sqlite
SELECT TOP 5 title FROM painting ORDER BY price DESC
SELECT title FROM painting ORDER BY price DESC LIMIT 5

SELECT GROUP_CONCAT(title SEPARATOR ', ') FROM painting
SELECT GROUP_CONCAT(title, ', ') FROM painting

SELECT TOP 5 title FROM painting WHERE title = "x"
unchanged

SELECT title FROM painting; DROP TABLE painting
unchanged

-- postgres
SELECT `title` FROM `painting`
SELECT "title" FROM "painting"

SELECT [title] FROM [painting]
SELECT "title" FROM "painting"

SELECT title FROM painting LIMIT 5, 10
unchanged
