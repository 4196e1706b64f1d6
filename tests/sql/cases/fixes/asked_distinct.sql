-- *The different …*, and a list or a count that repeats them.

-- sqlite
SELECT country FROM artist
SELECT DISTINCT country FROM artist

SELECT a.country FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id WHERE p.price > 5 ORDER BY a.country
SELECT DISTINCT a.country FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id WHERE p.price > 5 ORDER BY a.country

SELECT COUNT(country) FROM artist
SELECT COUNT(DISTINCT country) FROM artist

SELECT COUNT(*) FROM artist
unchanged

SELECT country, COUNT(*) FROM artist GROUP BY country
unchanged

SELECT DISTINCT country FROM artist
unchanged

SELECT country FROM artist LIMIT 3
unchanged
