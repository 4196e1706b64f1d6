-- *The name and country of …*, and everything: those two.

-- sqlite
SELECT * FROM artist WHERE BirthYear > 1900
SELECT Name, country FROM artist WHERE BirthYear > 1900

SELECT * FROM city
unchanged

SELECT * FROM artist JOIN painting ON painting.artist_id = artist.artist_id
unchanged
