-- A text that is not in the column it is compared with, and is in one other column in scope.

-- sqlite
SELECT museum_id FROM museum WHERE museum_name = 'porto'
SELECT museum_id FROM museum JOIN city ON museum.city_id = city.city_id WHERE city.city_name = 'Porto'

SELECT museum_id FROM museum WHERE museum_name = 'Tom Reed'
SELECT museum_id FROM museum WHERE director = 'Tom Reed'

SELECT full_name FROM visitor WHERE card_type = 'lyon'
SELECT full_name FROM visitor WHERE home_city = 'Lyon'

SELECT m.opened FROM museum AS m JOIN city AS c ON m.city_id = c.city_id WHERE c.region = 'Old Mill'
SELECT m.opened FROM museum AS m WHERE m.museum_name = 'Old Mill'

SELECT m.opened FROM museum AS m JOIN city AS c ON m.city_id = c.city_id WHERE m.director IN ('Lyon', 'porto')
SELECT m.opened FROM museum AS m JOIN city AS c ON m.city_id = c.city_id WHERE c.city_name IN ('Lyon', 'Porto')

SELECT museum_id FROM museum WHERE museum_name = 'Lyon'
unchanged

SELECT museum_id FROM museum WHERE museum_name <> 'Tom Reed'
unchanged

SELECT museum_id FROM museum WHERE NOT museum_name = 'Tom Reed'
unchanged

SELECT museum_id FROM museum WHERE museum_name = 'Tom Reed' OR museum_name = 'Old Mill'
unchanged

SELECT a.BirthYear FROM artist AS a JOIN painting AS p ON a.artist_id = p.artist_id JOIN museum AS m ON p.museum_id = m.museum_id JOIN city AS c ON c.city_id = m.city_id WHERE c.region = 'Ada Weiß'
unchanged
