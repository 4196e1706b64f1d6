-- A text that is no value of its column, and a part of one, or the other way round.

-- sqlite
SELECT title FROM painting JOIN artist AS a ON a.artist_id = painting.artist_id WHERE a.Name = 'Luz'
SELECT title FROM painting JOIN artist AS a ON a.artist_id = painting.artist_id WHERE a.Name LIKE '%Luz%'

SELECT city_name FROM city WHERE region = 'the South'
SELECT city_name FROM city WHERE region = 'South'

SELECT city_name FROM city WHERE region = 'between North and South'
unchanged

SELECT city_name FROM city WHERE region <> 'the South'
unchanged

SELECT title FROM painting WHERE title = 'Luz'
unchanged
