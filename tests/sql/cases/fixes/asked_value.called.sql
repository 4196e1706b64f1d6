-- Who was called by a name is found by it, and not by a number that nobody said.

-- sqlite
SELECT p.title FROM painting AS p WHERE p.artist_id = 100
SELECT p.title FROM painting AS p JOIN artist ON p.artist_id = artist.artist_id WHERE artist.Name = 'Rosa Luz' AND artist.country = 'france'

SELECT p.title FROM painting AS p WHERE p.artist_id = 100 AND p.price > 9
SELECT p.title FROM painting AS p JOIN artist ON p.artist_id = artist.artist_id WHERE p.price > 9 AND artist.Name = 'Rosa Luz' AND artist.country = 'france'

SELECT p.title FROM painting AS p WHERE p.price > 9
SELECT p.title FROM painting AS p JOIN artist ON p.artist_id = artist.artist_id WHERE p.price > 9 AND artist.Name = 'Rosa Luz' AND artist.country = 'france'
