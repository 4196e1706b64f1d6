-- *Those who do not have a silver card*, and those who have one.

-- sqlite
SELECT full_name FROM visitor WHERE card_type = 'Silver'
SELECT full_name FROM visitor WHERE card_type <> 'Silver'

SELECT COUNT(*) FROM visitor AS v WHERE v.card_type = 'Silver' AND v.home_city = 'Lyon'
SELECT COUNT(*) FROM visitor AS v WHERE v.card_type <> 'Silver' AND v.home_city = 'Lyon'

SELECT full_name FROM visitor WHERE card_type = 'Gold'
unchanged

SELECT full_name FROM visitor WHERE NOT card_type = 'Silver'
unchanged

SELECT full_name FROM visitor WHERE home_city = 'Lyon' AND card_type <> 'Silver'
unchanged
