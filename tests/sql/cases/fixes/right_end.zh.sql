-- 哪些画家没有老师？

-- sqlite
SELECT Name FROM artist WHERE NOT artist_id IN (SELECT teacher_id FROM teacher)
SELECT Name FROM artist WHERE NOT artist_id IN (SELECT artist_id FROM teacher)
