-- *By gold visitors but not by silver ones*, and a query for the gold ones, or for both.

-- sqlite
SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Gold'
SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Gold' EXCEPT SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Silver'

SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Gold' INTERSECT SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Silver'
SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Gold' EXCEPT SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Silver'

SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Silver' INTERSECT SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Gold'
SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Gold' EXCEPT SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Silver'

SELECT full_name FROM visitor WHERE card_type = 'Gold'
unchanged

SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type IN ('Gold', 'Bronze')
unchanged

-- postgres
SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Gold'
SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Gold' EXCEPT SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Silver'
