-- *Which country …*, and everything: that column alone.

-- sqlite
SELECT * FROM artist ORDER BY BirthYear DESC LIMIT 1
SELECT country FROM artist ORDER BY BirthYear DESC LIMIT 1

SELECT * FROM city AS c WHERE c.Population > 100
SELECT region FROM city AS c WHERE c.Population > 100

SELECT Name FROM artist
unchanged

SELECT * FROM museum
unchanged

SELECT * FROM artist JOIN painting ON painting.artist_id = artist.artist_id
unchanged

SELECT *, Name FROM artist
unchanged

-- postgres
SELECT * FROM artist WHERE artist_id > 3
SELECT country FROM artist WHERE artist_id > 3
