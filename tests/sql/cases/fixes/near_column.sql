-- A column misspelled: case, underscores, plural, the table's name before it or after it, a word cut short or spelled out.

-- sqlite
SELECT c.name FROM museum AS m JOIN city AS c ON m.city_id = c.city_id WHERE m.director = 'Tom Reed'
SELECT c.city_name FROM museum AS m JOIN city AS c ON m.city_id = c.city_id WHERE m.director = 'Tom Reed'

SELECT v.visitor_name FROM visitor AS v
SELECT v.full_name FROM visitor AS v

SELECT birth_year FROM artist
SELECT BirthYear FROM artist

SELECT a.birth_years FROM artist AS a
SELECT a.BirthYear FROM artist AS a

SELECT painting_title FROM painting
SELECT title FROM painting

SELECT T1.name FROM museum AS T1
SELECT T1.museum_name FROM museum AS T1

SELECT name FROM city
SELECT city_name FROM city

SELECT T1.id FROM museum AS T1
SELECT T1.museum_id FROM museum AS T1

SELECT pop FROM city
SELECT Population FROM city

SELECT T1.mus_name, T1.dir FROM museum AS T1
SELECT T1.museum_name, T1.director FROM museum AS T1

SELECT ditr FROM museum
SELECT director FROM museum

SELECT vsd_on FROM visit
SELECT visited_on FROM visit

SELECT nickname FROM artist
unchanged

SELECT v.home_cities FROM visitor AS v
SELECT v.home_city FROM visitor AS v

SELECT T1.days_lent FROM loan AS T1
unchanged

SELECT T1.lnd FROM loan AS T1
SELECT T1.lender FROM loan AS T1

SELECT pa FROM visit
unchanged

SELECT id FROM painting AS p JOIN museum AS m ON p.museum_id = m.museum_id
unchanged

SELECT T2.name FROM artist AS T1 JOIN painting AS T3 ON T1.artist_id = T3.artist_id JOIN museum AS T2 ON T3.museum_id = T2.museum_id
unchanged

SELECT x.Price FROM (SELECT price AS cost FROM painting) AS x
unchanged

SELECT x.Total_Cost FROM (SELECT price AS totalcost FROM painting) AS x
SELECT x.totalcost FROM (SELECT price AS totalcost FROM painting) AS x

SELECT rowid FROM artist
unchanged

SELECT name FROM artist ORDER BY NAME
unchanged

SELECT popul FROM city
SELECT Population FROM city

SELECT s.Name, s.open since FROM school AS s
SELECT s.Name, s."Open Since" FROM school AS s

SELECT open since FROM school
SELECT school."Open Since" FROM school

SELECT founded since FROM school
unchanged

-- postgres
SELECT name, birthyear FROM artist
SELECT "Name", "BirthYear" FROM artist

SELECT a."name" FROM artist AS a
SELECT a."Name" FROM artist AS a

-- clickhouse
SELECT name FROM artist
SELECT Name FROM artist
