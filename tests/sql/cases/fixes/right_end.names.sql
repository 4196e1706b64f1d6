-- *Names of the teachers*: nobody has any here.

-- sqlite
SELECT a.Name FROM artist AS a JOIN teacher AS t ON a.artist_id = t.teacher_id
unchanged

SELECT a.Name FROM artist AS a JOIN teacher AS t ON a.artist_id = t.artist_id
unchanged
