-- Grouped by two columns, and one of them shown.

-- sqlite
SELECT country, COUNT(*) FROM artist GROUP BY country, BirthYear
SELECT country, BirthYear, COUNT(*) FROM artist GROUP BY country, BirthYear

SELECT COUNT(*), v.home_city FROM visitor AS v GROUP BY v.home_city, v.card_type
SELECT v.home_city, v.card_type, COUNT(*) FROM visitor AS v GROUP BY v.home_city, v.card_type

SELECT Name, COUNT(*) FROM artist GROUP BY Name, artist_id
unchanged

SELECT country, BirthYear, COUNT(*) FROM artist GROUP BY country, BirthYear
unchanged

SELECT country FROM artist GROUP BY country, BirthYear
unchanged
