-- Joined to two tables that each have many rows of it: a row for every pair of them is nobody's wish.

-- sqlite
SELECT m.director FROM museum AS m JOIN visit AS s ON s.museum_id = m.museum_id JOIN ticket AS t ON t.museum_id = m.museum_id
SELECT DISTINCT m.director FROM museum AS m JOIN visit AS s ON s.museum_id = m.museum_id JOIN ticket AS t ON t.museum_id = m.museum_id

SELECT s.museum_id FROM visit AS s JOIN ticket AS t ON t.museum_id = s.museum_id
SELECT DISTINCT s.museum_id FROM visit AS s JOIN ticket AS t ON t.museum_id = s.museum_id

SELECT m.director FROM museum AS m JOIN visit AS s ON s.museum_id = m.museum_id
unchanged

SELECT m.director, t.kind FROM museum AS m JOIN visit AS s ON s.museum_id = m.museum_id JOIN ticket AS t ON t.museum_id = m.museum_id
unchanged

SELECT s.visited_on FROM visit AS s JOIN ticket AS t ON t.museum_id = s.museum_id
unchanged
