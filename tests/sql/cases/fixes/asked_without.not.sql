-- *Museums that silver visitors do not visit*, over two joins, and a condition on each visit.

-- sqlite
SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Silver'
SELECT m.museum_name FROM museum AS m WHERE NOT m.museum_id IN (SELECT v.museum_id FROM visit AS v JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Silver' AND NOT v.museum_id IS NULL)

SELECT m.museum_name, m.director FROM visitor AS p JOIN visit AS v ON v.visitor_id = p.id JOIN museum AS m ON v.museum_id = m.museum_id WHERE p.card_type <> 'Silver'
SELECT m.museum_name, m.director FROM museum AS m WHERE NOT m.museum_id IN (SELECT v.museum_id FROM visit AS v JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Silver' AND NOT v.museum_id IS NULL)

SELECT m.museum_name FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id WHERE NOT v.visitor_id IN (SELECT id FROM visitor WHERE card_type = 'Silver')
SELECT m.museum_name FROM museum AS m WHERE NOT m.museum_id IN (SELECT v.museum_id FROM visit AS v WHERE v.visitor_id IN (SELECT id FROM visitor WHERE card_type = 'Silver') AND NOT v.museum_id IS NULL)

SELECT COUNT(DISTINCT m.museum_id) FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type <> 'Silver' AND m.director = 'Tom Reed'
SELECT COUNT(DISTINCT m.museum_id) FROM museum AS m WHERE m.director = 'Tom Reed' AND NOT m.museum_id IN (SELECT v.museum_id FROM visit AS v JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type = 'Silver' AND NOT v.museum_id IS NULL)

SELECT m.museum_name, v.paid FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id JOIN visitor AS p ON v.visitor_id = p.id WHERE p.card_type <> 'Silver'
unchanged

SELECT p.full_name FROM visitor AS p JOIN visit AS v ON v.visitor_id = p.id JOIN museum AS m ON v.museum_id = m.museum_id WHERE p.card_type <> 'Silver' AND m.director = 'Tom Reed'
unchanged

SELECT m.museum_name FROM museum AS m JOIN painting AS p ON p.museum_id = m.museum_id WHERE NOT p.painting_id IN (SELECT painting_id FROM loan)
unchanged
