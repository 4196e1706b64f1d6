-- A join on columns that are no key pair, where one foreign key links the two tables.

-- sqlite
SELECT r.full_name FROM visitor AS r JOIN visit AS v ON r.id = v.id WHERE v.paid > 3
SELECT r.full_name FROM visitor AS r JOIN visit AS v ON r.id = v.visitor_id WHERE v.paid > 3

SELECT p.title FROM painting AS p JOIN artist AS a ON p.painting_id = a.artist_id WHERE a.country = 'Spain'
SELECT p.title FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id WHERE a.country = 'Spain'

SELECT p.title FROM painting AS p JOIN artist AS a ON p.artist = a.id WHERE a.country = 'Spain'
SELECT p.title FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id WHERE a.country = 'Spain'

SELECT p.title FROM painting AS p JOIN artist AS a ON a.artist_id = p.artist_id WHERE a.country = 'Spain'
unchanged

SELECT m.director FROM loan AS l JOIN museum AS m ON l.loan_id = m.museum_id
unchanged

SELECT p.title FROM painting AS p JOIN visit AS v ON p.museum_id = v.museum_id WHERE v.paid > 3
unchanged

SELECT c.region FROM city AS c JOIN artist AS a ON c.city_id = a.artist_id WHERE a.country = 'Spain'
unchanged

SELECT r.full_name FROM visitor AS r JOIN visit AS v ON r.home_city = v.visited_on WHERE v.paid > 3
unchanged

SELECT r.full_name FROM visitor AS r JOIN visit AS v ON r.full_name = v.visitor_id WHERE v.paid > 3
SELECT r.full_name FROM visitor AS r JOIN visit AS v ON r.id = v.visitor_id WHERE v.paid > 3

SELECT a.museum_name, b.museum_name FROM loan AS l JOIN museum AS a ON l.lender = a.museum_id JOIN museum AS b ON a.museum_id = l.borrower
SELECT a.museum_name, b.museum_name FROM loan AS l JOIN museum AS a ON l.lender = a.museum_id JOIN museum AS b ON b.museum_id = l.borrower
