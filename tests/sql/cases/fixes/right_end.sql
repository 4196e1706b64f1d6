-- *Which artists have no teachers?*, and those left out who are one.

-- sqlite
SELECT Name FROM artist WHERE NOT artist_id IN (SELECT teacher_id FROM teacher)
SELECT Name FROM artist WHERE NOT artist_id IN (SELECT artist_id FROM teacher)

SELECT artist_id FROM artist EXCEPT SELECT teacher_id FROM teacher
SELECT artist_id FROM artist EXCEPT SELECT artist_id FROM teacher

SELECT a.Name, COUNT(*) FROM artist AS a JOIN teacher AS t ON a.artist_id = t.teacher_id GROUP BY a.artist_id
SELECT a.Name, COUNT(*) FROM artist AS a JOIN teacher AS t ON a.artist_id = t.artist_id GROUP BY a.artist_id

SELECT Name FROM artist WHERE NOT artist_id IN (SELECT artist_id FROM teacher)
unchanged

SELECT a.Name FROM artist AS a JOIN teacher AS t ON a.artist_id = t.artist_id JOIN artist AS b ON b.artist_id = t.teacher_id WHERE b.Name = 'Rosa Luz'
unchanged

SELECT l.days FROM loan AS l WHERE l.lender = 3
unchanged

-- postgres
SELECT "Name" FROM artist WHERE NOT artist_id IN (SELECT teacher_id FROM teacher)
SELECT "Name" FROM artist WHERE NOT artist_id IN (SELECT artist_id FROM teacher)
