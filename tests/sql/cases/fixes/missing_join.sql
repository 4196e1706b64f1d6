-- A column of one table that is not in FROM, and one shortest way of foreign keys to it.

-- sqlite
SELECT a.Name, p.Name FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id ORDER BY p.Name, a.Name
unchanged

SELECT v.full_name, SUM(v.paid) FROM visit AS v JOIN museum AS m ON v.museum_id = m.museum_id WHERE m.director = 'Tom Reed' GROUP BY v.visitor_id
SELECT visitor.full_name, SUM(v.paid) FROM visit AS v JOIN museum AS m ON v.museum_id = m.museum_id JOIN visitor ON v.visitor_id = visitor.id WHERE m.director = 'Tom Reed' GROUP BY v.visitor_id

SELECT m.museum_name, v.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id
unchanged

SELECT v.full_name, t.full_name FROM visitor AS v JOIN visit AS t ON t.visitor_id = v.id
unchanged

SELECT visitor.id, museum.museum_id FROM visitor JOIN visit ON visit.visitor_id = visitor.id
SELECT visitor.id, museum.museum_id FROM visitor JOIN visit ON visit.visitor_id = visitor.id JOIN museum ON visit.museum_id = museum.museum_id

SELECT title, country FROM painting
SELECT title, artist.country FROM painting JOIN artist ON painting.artist_id = artist.artist_id

SELECT T1.title FROM painting AS T1 WHERE T1.BirthYear > 1900
SELECT T1.title FROM painting AS T1 JOIN artist ON T1.artist_id = artist.artist_id WHERE artist.BirthYear > 1900

SELECT T1.title, T2.country FROM painting AS T1
SELECT T1.title, T2.country FROM painting AS T1 JOIN artist AS T2 ON T1.artist_id = T2.artist_id

SELECT painting.title FROM painting WHERE artist.country = 'Spain'
SELECT painting.title FROM painting JOIN artist ON painting.artist_id = artist.artist_id WHERE artist.country = 'Spain'

SELECT p.title FROM painting AS p WHERE region = 'North'
SELECT p.title FROM painting AS p JOIN museum ON p.museum_id = museum.museum_id JOIN city ON museum.city_id = city.city_id WHERE city.region = 'North'

SELECT full_name, title FROM visitor
unchanged

SELECT full_name, director FROM visitor
SELECT full_name, museum.director FROM visitor JOIN visit ON visitor.id = visit.visitor_id JOIN museum ON visit.museum_id = museum.museum_id

SELECT country FROM artist AS a WHERE EXISTS (SELECT 1 FROM painting AS p WHERE p.artist_id = a.artist_id AND p.country = 'Spain')
unchanged

SELECT director FROM loan
unchanged

SELECT COUNT(*) FROM visit WHERE card_type = 'Gold'
SELECT COUNT(*) FROM visit JOIN visitor ON visit.visitor_id = visitor.id WHERE visitor.card_type = 'Gold'

SELECT * FROM painting WHERE country = 'Spain'
unchanged

SELECT region FROM artist WHERE artist_id IN (SELECT artist_id FROM painting WHERE director = 'Tom Reed')
SELECT city.region FROM artist JOIN painting ON artist.artist_id = painting.artist_id JOIN museum ON painting.museum_id = museum.museum_id JOIN city ON museum.city_id = city.city_id WHERE artist.artist_id IN (SELECT artist_id FROM painting JOIN museum ON painting.museum_id = museum.museum_id WHERE museum.director = 'Tom Reed')

SELECT days, lender FROM loan WHERE full_name = 'x'
unchanged

SELECT country FROM artist WHERE Name NOT IN (SELECT Name FROM painting)
SELECT country FROM artist WHERE NOT Name IN (SELECT artist.Name FROM painting JOIN artist ON painting.artist_id = artist.artist_id)

SELECT museum_name FROM museum WHERE museum_id IN (SELECT museum_id FROM painting WHERE director = 'Tom Reed')
SELECT museum_name FROM museum WHERE museum_id IN (SELECT painting.museum_id FROM painting JOIN museum ON painting.museum_id = museum.museum_id WHERE museum.director = 'Tom Reed')

SELECT Name FROM artist AS a WHERE 3 < (SELECT COUNT(*) FROM painting WHERE artist_id = BirthYear)
unchanged

SELECT Name FROM artist WHERE EXISTS (SELECT 1 FROM painting WHERE country = 'Spain')
unchanged

SELECT paid, city_id FROM visit
SELECT paid, museum.city_id FROM visit JOIN museum ON visit.museum_id = museum.museum_id

SELECT T3.director, T2.museum_id FROM museum AS T3 WHERE T2.paid > 3
SELECT T3.director, T2.museum_id FROM museum AS T3 JOIN visit AS T2 ON T3.museum_id = T2.museum_id WHERE T2.paid > 3

SELECT p.museum_name, v.paid FROM painting AS p JOIN visit AS v ON p.museum_id = v.museum_id
SELECT museum.museum_name, v.paid FROM painting AS p JOIN visit AS v ON p.museum_id = v.museum_id JOIN museum ON p.museum_id = museum.museum_id

SELECT COUNT(DISTINCT artist_id) FROM museum WHERE director = 'Tom Reed'
SELECT COUNT(DISTINCT painting.artist_id) FROM museum JOIN painting ON museum.museum_id = painting.museum_id WHERE director = 'Tom Reed'
