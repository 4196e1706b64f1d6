-- *Museums whose average price is above 9*, and those with any price above 9.

-- sqlite
SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.price > 9 GROUP BY m.museum_id
SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id GROUP BY m.museum_id HAVING AVG(p.price) > 9

SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE m.director = 'Tom Reed' AND p.price > 9 GROUP BY m.museum_id
SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE m.director = 'Tom Reed' GROUP BY m.museum_id HAVING AVG(p.price) > 9

SELECT m.museum_name, AVG(p.price) FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.price > 9 GROUP BY m.museum_id
unchanged

SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.price > 9
unchanged

SELECT region FROM city WHERE Population > 9 GROUP BY region
unchanged

-- postgres
SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE p.price > 9 GROUP BY m.museum_id
SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id GROUP BY m.museum_id HAVING AVG(p.price) > 9
