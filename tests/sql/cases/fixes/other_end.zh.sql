-- Rosa Luz 的老师

-- sqlite
SELECT a.Name FROM artist AS a JOIN teacher AS t ON a.artist_id = t.teacher_id WHERE a.Name = 'Rosa Luz'
SELECT artist.Name FROM artist AS a JOIN teacher AS t ON a.artist_id = t.artist_id JOIN artist ON t.teacher_id = artist.artist_id WHERE a.Name = 'Rosa Luz'
