-- A table joined to rows that the WHERE leaves out: no row can be left, so the join is none that was asked for.

-- sqlite
SELECT v.full_name FROM visitor AS v JOIN visit AS t ON v.id = t.visitor_id WHERE NOT v.id IN (SELECT visitor_id FROM visit)
SELECT v.full_name FROM visitor AS v WHERE NOT v.id IN (SELECT visitor_id FROM visit)

SELECT v.full_name FROM visitor AS v JOIN visit AS t ON v.id = t.visitor_id WHERE v.card_type = 'Gold' AND NOT t.visitor_id IN (SELECT visitor_id FROM visit)
SELECT v.full_name FROM visitor AS v WHERE v.card_type = 'Gold' AND NOT v.id IN (SELECT visitor_id FROM visit)

SELECT v.full_name FROM visitor AS v JOIN visit AS t ON v.id = t.visitor_id WHERE NOT v.id IN (SELECT visitor_id FROM visit WHERE paid > 3)
unchanged

SELECT v.full_name, t.paid FROM visitor AS v JOIN visit AS t ON v.id = t.visitor_id WHERE NOT v.id IN (SELECT visitor_id FROM visit)
unchanged

SELECT v.full_name FROM visitor AS v JOIN visit AS t ON v.id = t.visitor_id WHERE NOT t.museum_id IN (SELECT museum_id FROM loan)
unchanged

SELECT v.full_name FROM visitor AS v JOIN visit AS t ON v.id = t.visitor_id WHERE v.id IN (SELECT visitor_id FROM visit)
unchanged
