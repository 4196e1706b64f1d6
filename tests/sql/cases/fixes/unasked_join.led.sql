-- *The number of visitors*: a visit is one, where nothing else leads to them.

-- sqlite
SELECT m.director, COUNT(*) FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id GROUP BY m.director
unchanged
