-- *Over 20 million*, with a nought too many.

-- sqlite
SELECT city_name FROM city WHERE Population > 200000000
SELECT city_name FROM city WHERE Population > 20000000

SELECT city_name FROM city WHERE Population > 20000000 OR Population = 15000000
SELECT city_name FROM city WHERE Population > 20000000 OR Population = 1500000

SELECT city_name FROM city WHERE Population > 20000000 OR Population = 1500000
unchanged

SELECT city_name FROM city WHERE Population > 30000000
unchanged

SELECT city_name FROM city WHERE Population > 20
unchanged
