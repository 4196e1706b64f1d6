-- *What did Eva Holm pay at which museums?*, and her own name beside what she paid.

-- sqlite
SELECT v.paid, r.full_name FROM visitor AS r JOIN visit AS v ON v.visitor_id = r.id WHERE r.full_name = 'Eva Holm'
SELECT v.paid, museum.museum_name FROM visitor AS r JOIN visit AS v ON v.visitor_id = r.id JOIN museum ON v.museum_id = museum.museum_id WHERE r.full_name = 'Eva Holm'

SELECT p.title, p.price FROM painting AS p WHERE p.title = 'Dawn'
unchanged

SELECT v.paid, r.card_type FROM visitor AS r JOIN visit AS v ON v.visitor_id = r.id WHERE r.full_name = 'Eva Holm'
unchanged

SELECT m.museum_name, m.opened, v.paid FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id WHERE m.museum_name = 'Old Mill'
unchanged
