-- A table that lacks what is said of it, where one other has all of it, its ON too.

-- sqlite
SELECT v.full_name, l.visited_on FROM visitor AS v JOIN loan AS l ON v.id = l.visitor_id
SELECT v.full_name, l.visited_on FROM visitor AS v JOIN visit AS l ON v.id = l.visitor_id

SELECT m.museum_name, AVG(v.price) FROM museum AS m JOIN visit AS v ON m.museum_id = v.museum_id GROUP BY m.museum_id
SELECT m.museum_name, AVG(v.price) FROM museum AS m JOIN painting AS v ON m.museum_id = v.museum_id GROUP BY m.museum_id

SELECT a.Name, a.paid FROM artist AS a WHERE a.Name = 'Rosa Luz'
unchanged
