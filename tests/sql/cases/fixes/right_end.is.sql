-- *Which artists were teachers of somebody?*, and those who had one.

-- sqlite
SELECT Name FROM artist WHERE artist_id IN (SELECT artist_id FROM teacher)
SELECT Name FROM artist WHERE artist_id IN (SELECT teacher_id FROM teacher)

SELECT Name FROM artist WHERE artist_id IN (SELECT teacher_id FROM teacher)
unchanged
