-- *Who has no refunded ticket*: those are left out who have one. Where nobody is left out, nothing is sure.

-- sqlite
SELECT director FROM museum WHERE NOT museum_id IN (SELECT museum_id FROM ticket WHERE kind = 'Day')
SELECT director FROM museum WHERE NOT museum_id IN (SELECT museum_id FROM ticket WHERE kind = 'Day' AND is_refunded = 'Yes')

SELECT museum_id FROM museum EXCEPT SELECT museum_id FROM ticket
SELECT museum_id FROM museum EXCEPT SELECT museum_id FROM ticket WHERE is_refunded = 'Yes'

SELECT museum_id FROM ticket EXCEPT SELECT museum_id FROM museum
unchanged

SELECT COUNT(*) FROM ticket
unchanged
