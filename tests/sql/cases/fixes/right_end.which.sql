-- 老师有哪些？ asks for teachers.

-- sqlite
SELECT a.Name FROM artist AS a JOIN teacher AS t ON a.artist_id = t.teacher_id
unchanged
