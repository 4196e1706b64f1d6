-- 最年轻的画家是谁？

-- sqlite
SELECT Name FROM artist ORDER BY BirthYear ASC LIMIT 1
SELECT Name FROM artist ORDER BY BirthYear DESC LIMIT 1
