-- A table misspelled: case, underscores, plural, one letter. Two lines a case; a comment names the dialect.

-- sqlite
SELECT title FROM paintings
SELECT title FROM painting

SELECT title FROM Paintings AS p JOIN Artists AS a ON p.artist_id = a.artist_id WHERE a.country = 'Spain'
SELECT title FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id WHERE a.country = 'Spain'

SELECT paintings.title FROM paintings
SELECT painting.title FROM painting

SELECT title FROM paintng
SELECT title FROM painting

SELECT full_name FROM visitors
SELECT full_name FROM visitor

SELECT title FROM pictures
unchanged

SELECT name FROM sqlite_master
unchanged

WITH paintings AS (SELECT title FROM painting) SELECT title FROM paintings
unchanged

SELECT title FROM other.paintings
unchanged

SELECT region FROM citi
unchanged

-- postgres
SELECT title FROM "Painting"
SELECT title FROM painting

-- mysql
SELECT title FROM Painting
SELECT title FROM painting
