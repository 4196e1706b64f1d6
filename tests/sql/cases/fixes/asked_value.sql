-- A value that the question names and that stands in one column of a table in FROM, on which the query says nothing.

-- sqlite
SELECT city_name FROM city
SELECT city_name FROM city WHERE region = 'North'

SELECT city_name FROM city WHERE Population > 5
SELECT city_name FROM city WHERE Population > 5 AND region = 'North'

SELECT city_name FROM city WHERE Population > 5 OR Population < 2
SELECT city_name FROM city WHERE (Population > 5 OR Population < 2) AND region = 'North'

SELECT m.museum_name FROM museum AS m JOIN city AS c ON m.city_id = c.city_id
SELECT m.museum_name FROM museum AS m JOIN city AS c ON m.city_id = c.city_id WHERE c.region = 'North'

SELECT region, COUNT(*) FROM city GROUP BY region
unchanged

SELECT city_name FROM city WHERE city_name = 'North Town'
unchanged

SELECT museum_name FROM museum
SELECT museum_name FROM museum JOIN city ON museum.city_id = city.city_id WHERE city.region = 'North'

SELECT city_name FROM city UNION SELECT home_city FROM visitor
unchanged
SELECT city_name FROM city WHERE Population > (SELECT MAX(Population) FROM city WHERE city_name = 'Lyon')
unchanged


-- mysql
SELECT city_name FROM city WHERE Population > 5
SELECT city_name FROM city WHERE Population > 5 AND region = 'North'
