-- One of those who have what is most common: all of them.

-- sqlite
SELECT full_name FROM visitor GROUP BY card_type ORDER BY COUNT(*) DESC LIMIT 1
SELECT full_name FROM visitor WHERE card_type = (SELECT card_type FROM visitor GROUP BY card_type ORDER BY COUNT(*) DESC LIMIT 1)

SELECT Name, BirthYear FROM artist WHERE BirthYear > 1900 GROUP BY country ORDER BY COUNT(artist_id) LIMIT 1
SELECT Name, BirthYear FROM artist WHERE BirthYear > 1900 AND country = (SELECT country FROM artist WHERE BirthYear > 1900 GROUP BY country ORDER BY COUNT(artist_id) LIMIT 1)

SELECT card_type FROM visitor GROUP BY card_type ORDER BY COUNT(*) DESC LIMIT 1
unchanged

SELECT full_name FROM visitor GROUP BY card_type ORDER BY COUNT(*) DESC LIMIT 3
unchanged

SELECT full_name, COUNT(*) FROM visitor GROUP BY card_type ORDER BY COUNT(*) DESC LIMIT 1
unchanged

SELECT Card_Type FROM visitor GROUP BY card_type ORDER BY COUNT(*) DESC LIMIT 1
unchanged
