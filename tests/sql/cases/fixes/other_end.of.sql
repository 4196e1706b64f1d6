-- *Artists who had Rosa Luz*: she is where the query has put her.

-- sqlite
SELECT a.Name FROM artist AS a JOIN teacher AS t ON a.artist_id = t.teacher_id WHERE a.Name = 'Rosa Luz'
SELECT artist.Name FROM artist AS a JOIN teacher AS t ON a.artist_id = t.teacher_id JOIN artist ON t.artist_id = artist.artist_id WHERE a.Name = 'Rosa Luz'
