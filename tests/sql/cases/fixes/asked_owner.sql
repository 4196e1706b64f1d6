-- *The names of the museums*, and the name of something else that is joined to them.

-- sqlite
SELECT a.Name FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id JOIN museum AS m ON p.museum_id = m.museum_id WHERE a.country = 'Spain'
SELECT m.museum_name FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id JOIN museum AS m ON p.museum_id = m.museum_id WHERE a.country = 'Spain'

SELECT c.city_name FROM museum AS m JOIN city AS c ON m.city_id = c.city_id WHERE c.region = 'North' GROUP BY c.city_name, c.city_id HAVING COUNT(*) > 2
unchanged

SELECT m.museum_name FROM museum AS m JOIN city AS c ON m.city_id = c.city_id WHERE c.region = 'North'
unchanged

SELECT m.museum_name, c.city_name FROM museum AS m JOIN city AS c ON m.city_id = c.city_id
unchanged

SELECT Name FROM artist
unchanged

SELECT c.city_name FROM museum AS m JOIN city AS c ON m.city_id = c.city_id WHERE m.museum_name = 'Old Mill'
unchanged

SELECT a.Name FROM artist AS a JOIN painting AS p ON a.artist_id = p.artist_id WHERE p.price > 100
SELECT museum.museum_name FROM painting AS p JOIN museum ON p.museum_id = museum.museum_id WHERE p.price > 100

SELECT a.Name FROM artist AS a JOIN painting AS p ON a.artist_id = p.artist_id JOIN loan AS l ON l.painting_id = p.painting_id WHERE l.days > p.price
unchanged
SELECT c.city_name FROM museum AS m JOIN city AS c ON m.city_id = c.city_id WHERE m.museum_name = 'Old Mill' OR m.museum_name = 'Harbour House'
unchanged

SELECT city_name FROM city EXCEPT SELECT c.city_name FROM museum AS m JOIN city AS c ON m.city_id = c.city_id
unchanged


-- postgres
SELECT c.city_name FROM museum AS m JOIN city AS c ON m.city_id = c.city_id WHERE c.region = 'North'
SELECT m.museum_name FROM museum AS m JOIN city AS c ON m.city_id = c.city_id WHERE c.region = 'North'
