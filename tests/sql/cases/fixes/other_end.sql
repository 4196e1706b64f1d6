-- *Rosa Luz's teachers*, and the answer is Rosa Luz.

-- sqlite
SELECT a.Name FROM artist AS a JOIN teacher AS t ON a.artist_id = t.artist_id WHERE a.Name = 'Rosa Luz'
SELECT artist.Name FROM artist AS a JOIN teacher AS t ON a.artist_id = t.artist_id JOIN artist ON t.teacher_id = artist.artist_id WHERE a.Name = 'Rosa Luz'

SELECT a.Name, a.BirthYear FROM artist AS a JOIN teacher AS t ON t.teacher_id = a.artist_id WHERE a.Name = 'Rosa Luz'
SELECT artist.Name, artist.BirthYear FROM artist AS a JOIN teacher AS t ON t.artist_id = a.artist_id JOIN artist ON t.teacher_id = artist.artist_id WHERE a.Name = 'Rosa Luz'

SELECT artist.Name FROM artist JOIN teacher ON artist.artist_id = teacher.artist_id WHERE artist.Name = 'Rosa Luz'
SELECT artist_2.Name FROM artist JOIN teacher ON artist.artist_id = teacher.artist_id JOIN artist AS artist_2 ON teacher.teacher_id = artist_2.artist_id WHERE artist.Name = 'Rosa Luz'

SELECT a.BirthYear FROM artist AS a JOIN teacher AS t ON a.artist_id = t.artist_id WHERE a.Name = 'Rosa Luz'
unchanged

SELECT a.Name FROM artist AS a JOIN painting AS p ON a.artist_id = p.artist_id WHERE a.Name = 'Rosa Luz' AND p.price > 3
unchanged

SELECT a.Name FROM artist AS a JOIN studied AS s ON a.artist_id = s.artist_id WHERE a.Name = 'Rosa Luz'
SELECT school.Name FROM artist AS a JOIN studied AS s ON a.artist_id = s.artist_id JOIN school ON s.school_id = school.school_id WHERE a.Name = 'Rosa Luz'

SELECT a.Name, a.country FROM artist AS a JOIN studied AS s ON a.artist_id = s.artist_id WHERE a.Name = 'Rosa Luz'
unchanged
