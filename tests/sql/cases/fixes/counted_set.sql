-- A number is no member of a list: what is left of the list is counted.

-- sqlite
SELECT COUNT(DISTINCT home_city) FROM visitor WHERE card_type = 'Gold' EXCEPT SELECT home_city FROM visitor WHERE card_type = 'Silver'
SELECT COUNT(*) FROM (SELECT home_city FROM visitor WHERE card_type = 'Gold' EXCEPT SELECT home_city FROM visitor WHERE card_type = 'Silver')

SELECT COUNT(home_city) FROM visitor WHERE card_type = 'Gold' INTERSECT SELECT COUNT(home_city) FROM visitor WHERE card_type = 'Silver'
SELECT COUNT(*) FROM (SELECT home_city FROM visitor WHERE card_type = 'Gold' INTERSECT SELECT home_city FROM visitor WHERE card_type = 'Silver')

SELECT COUNT(*) FROM visitor WHERE card_type = 'Gold' EXCEPT SELECT home_city FROM visitor WHERE card_type = 'Silver'
unchanged

SELECT COUNT(home_city) FROM visitor WHERE card_type = 'Gold' UNION SELECT COUNT(home_city) FROM visitor WHERE card_type = 'Silver'
unchanged

SELECT home_city FROM visitor WHERE card_type = 'Gold' EXCEPT SELECT home_city FROM visitor WHERE card_type = 'Silver'
unchanged
