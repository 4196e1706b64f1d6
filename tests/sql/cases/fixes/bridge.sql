-- A join of two tables that only a third one links, on the ends of that way: the third comes between them.

-- sqlite
SELECT c.city_name FROM visit AS v JOIN city AS c ON v.museum_id = c.city_id
SELECT c.city_name FROM visit AS v JOIN museum ON v.museum_id = museum.museum_id JOIN city AS c ON museum.city_id = c.city_id

SELECT a.Name, m.director FROM artist AS a JOIN museum AS m ON a.museum_id = m.museum_id
SELECT a.Name, m.director FROM artist AS a JOIN painting ON a.artist_id = painting.artist_id JOIN museum AS m ON painting.museum_id = m.museum_id

SELECT v.full_name, m.director FROM museum AS m JOIN visitor AS v ON m.museum_id = v.museum_id
SELECT v.full_name, m.director FROM museum AS m JOIN visit ON m.museum_id = visit.museum_id JOIN visitor AS v ON visit.visitor_id = v.id

SELECT a.Name, m.director FROM artist AS a JOIN museum AS m ON a.BirthYear = m.opened
unchanged

SELECT p.title, v.paid FROM painting AS p JOIN visit AS v ON p.museum_id = v.museum_id
unchanged

SELECT p.title, v.full_name FROM painting AS p JOIN visitor AS v ON p.painting_id = v.id
unchanged

SELECT c.city_name FROM visit AS v LEFT JOIN city AS c ON v.museum_id = c.city_id
unchanged

SELECT a.Name, m.director FROM artist AS a JOIN museum AS m ON a.artist_id = m.museum_name
SELECT a.Name, m.director FROM artist AS a JOIN painting ON a.artist_id = painting.artist_id JOIN museum AS m ON painting.museum_id = m.museum_id

-- postgres
SELECT c.city_name FROM visit AS v JOIN city AS c ON v.museum_id = c.city_id
SELECT c.city_name FROM visit AS v JOIN museum ON v.museum_id = museum.museum_id JOIN city AS c ON museum.city_id = c.city_id
