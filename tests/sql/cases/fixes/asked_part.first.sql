-- *That start with an a*, and those that have one.

-- sqlite
SELECT title FROM painting WHERE title LIKE '%a%'
SELECT title FROM painting WHERE title LIKE 'a%'

SELECT title FROM painting WHERE title LIKE 'a%'
unchanged
