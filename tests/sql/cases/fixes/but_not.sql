-- *With a day ticket but not with one for the night*, and `<>` of the very row that is for the day.

-- sqlite
SELECT m.director FROM museum AS m JOIN ticket AS t ON t.museum_id = m.museum_id WHERE t.kind = 'Day' AND t.kind <> 'Night'
SELECT m.director FROM museum AS m JOIN ticket AS t ON t.museum_id = m.museum_id WHERE t.kind = 'Day' EXCEPT SELECT m.director FROM museum AS m JOIN ticket AS t ON t.museum_id = m.museum_id WHERE t.kind = 'Night'

SELECT COUNT(DISTINCT m.city_id) FROM museum AS m JOIN ticket AS t ON t.museum_id = m.museum_id WHERE t.kind = 'Day' AND t.kind <> 'Night' AND m.director = 'Tom Reed'
SELECT COUNT(*) FROM (SELECT m.city_id FROM museum AS m JOIN ticket AS t ON t.museum_id = m.museum_id WHERE m.director = 'Tom Reed' AND t.kind = 'Day' EXCEPT SELECT m.city_id FROM museum AS m JOIN ticket AS t ON t.museum_id = m.museum_id WHERE m.director = 'Tom Reed' AND t.kind = 'Night')

SELECT m.director FROM museum AS m JOIN ticket AS t ON t.museum_id = m.museum_id WHERE t.kind = 'Day' AND NOT t.kind = 'Night'
SELECT m.director FROM museum AS m JOIN ticket AS t ON t.museum_id = m.museum_id WHERE t.kind = 'Day' EXCEPT SELECT m.director FROM museum AS m JOIN ticket AS t ON t.museum_id = m.museum_id WHERE t.kind = 'Night'

SELECT full_name FROM visitor WHERE card_type = 'Gold' AND card_type <> 'Silver'
unchanged

SELECT m.director FROM museum AS m JOIN ticket AS t ON t.museum_id = m.museum_id WHERE t.kind = 'Day' AND m.director <> 'Tom Reed'
unchanged
