-- A table that is joined to itself, and the row that is given is shown.

-- sqlite
SELECT a.Name FROM artist AS a JOIN artist AS b ON a.artist_id = b.BirthYear WHERE a.Name = 'Rosa Luz'
SELECT b.Name FROM artist AS a JOIN artist AS b ON a.artist_id = b.BirthYear WHERE a.Name = 'Rosa Luz'

SELECT a.Name, b.country FROM artist AS a JOIN artist AS b ON a.artist_id = b.BirthYear WHERE a.Name = 'Rosa Luz'
unchanged
