-- A join that multiplies rows and that no word of the question is about (`ASKED` in gallery.py): dropped, and the columns of
-- its ON are taken from the other side.

-- sqlite
SELECT COUNT(a.artist_id) FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id
SELECT COUNT(a.artist_id) FROM artist AS a

SELECT a.country, COUNT(p.artist_id) FROM artist AS a JOIN painting AS p ON a.artist_id = p.artist_id GROUP BY a.country
SELECT a.country, COUNT(a.artist_id) FROM artist AS a GROUP BY a.country

SELECT a.country FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id ORDER BY a.BirthYear
SELECT a.country FROM artist AS a ORDER BY a.BirthYear

SELECT a.country, COUNT(p.title) FROM artist AS a JOIN painting AS p ON a.artist_id = p.artist_id GROUP BY a.country
unchanged

SELECT a.country FROM artist AS a LEFT JOIN painting AS p ON p.artist_id = a.artist_id
unchanged

SELECT m.director FROM museum AS m JOIN loan AS l ON l.lender = m.museum_id
unchanged

SELECT a.country, m.director FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id JOIN museum AS m ON p.museum_id = m.museum_id
unchanged

SELECT a.Name FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id GROUP BY a.artist_id ORDER BY COUNT(*) DESC LIMIT 1
unchanged

SELECT a.country FROM artist AS a JOIN visitor AS v ON a.Name = v.full_name
SELECT a.country FROM artist AS a
SELECT country FROM artist EXCEPT SELECT a.country FROM artist AS a JOIN painting AS p ON a.artist_id = p.artist_id
unchanged

SELECT a.country FROM artist AS a JOIN painting AS p ON a.artist_id = p.artist_id WHERE a.artist_id <> p.artist_id
unchanged


-- postgres
SELECT a.country FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id WHERE a."BirthYear" > 1900
SELECT a.country FROM artist AS a WHERE a."BirthYear" > 1900
