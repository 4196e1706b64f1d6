-- *The number of paintings of each artist*, counted among the artists: one of each.

-- sqlite
SELECT Name, COUNT(*) FROM artist GROUP BY artist_id
SELECT Name, COUNT(*) FROM artist JOIN painting ON artist.artist_id = painting.artist_id GROUP BY artist.artist_id

SELECT Name FROM artist GROUP BY Name HAVING COUNT(artist_id) > 3
SELECT Name FROM artist JOIN painting ON artist.artist_id = painting.artist_id GROUP BY Name, artist.artist_id HAVING COUNT(*) > 3

SELECT full_name FROM visitor GROUP BY id ORDER BY COUNT(*) DESC LIMIT 1
SELECT full_name FROM visitor JOIN visit ON visitor.id = visit.visitor_id GROUP BY visitor.id ORDER BY COUNT(*) DESC LIMIT 1

SELECT full_name, COUNT(*) FROM visitor GROUP BY full_name
unchanged

SELECT city_name, COUNT(*) FROM city GROUP BY city_id
SELECT city_name, COUNT(*) FROM city JOIN museum ON city.city_id = museum.city_id GROUP BY city.city_id

SELECT country, COUNT(*) FROM artist GROUP BY country
unchanged

SELECT Name, COUNT(*), MAX(BirthYear) FROM artist GROUP BY artist_id
unchanged
