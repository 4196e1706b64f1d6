-- More than the most of all, of which it is one: beyond all of those that the condition is about.

-- sqlite
SELECT city_name FROM city WHERE region = 'North' AND Population > (SELECT MAX(Population) FROM city)
SELECT city_name FROM city WHERE Population > (SELECT MAX(Population) FROM city WHERE region = 'North')

SELECT city_name FROM city WHERE region = 'North' AND Population < (SELECT MIN(Population) FROM city WHERE region = 'North')
SELECT city_name FROM city WHERE Population < (SELECT MIN(Population) FROM city WHERE region = 'North')

SELECT m.museum_name FROM museum AS m JOIN city AS c ON m.city_id = c.city_id WHERE c.region = 'North' AND c.Population > (SELECT MAX(Population) FROM city) AND m.director = 'Tom Reed'
SELECT m.museum_name FROM museum AS m JOIN city AS c ON m.city_id = c.city_id WHERE c.Population > (SELECT MAX(Population) FROM city WHERE region = 'North') AND m.director = 'Tom Reed'

SELECT city_name FROM city WHERE region = 'North' AND Population > (SELECT MAX(Population) FROM city WHERE region = 'South')
unchanged

SELECT city_name FROM city WHERE region = 'North' AND Population > (SELECT MAX(Population) FROM city WHERE region = 'North' AND city_name = 'Lyon')
unchanged

SELECT city_name FROM city WHERE region = 'North' AND Population >= (SELECT MAX(Population) FROM city)
unchanged

SELECT city_name FROM city WHERE region = 'North' AND Population > (SELECT AVG(Population) FROM city)
unchanged

SELECT city_name FROM city WHERE Population > (SELECT MAX(Population) FROM city)
unchanged
