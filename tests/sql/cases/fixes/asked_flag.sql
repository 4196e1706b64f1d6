-- *Refunded tickets*, and nothing is said of the column that tells.

-- sqlite
SELECT m.director FROM museum AS m JOIN ticket AS t ON t.museum_id = m.museum_id WHERE t.kind = 'Day'
SELECT m.director FROM museum AS m JOIN ticket AS t ON t.museum_id = m.museum_id WHERE t.kind = 'Day' AND t.is_refunded = 'Yes'

SELECT COUNT(*) FROM ticket
SELECT COUNT(*) FROM ticket WHERE is_refunded = 'Yes'

SELECT director FROM museum WHERE museum_id IN (SELECT museum_id FROM ticket WHERE kind = 'Day' OR kind = 'Night')
SELECT director FROM museum WHERE museum_id IN (SELECT museum_id FROM ticket WHERE (kind = 'Day' OR kind = 'Night') AND is_refunded = 'Yes')

SELECT museum_id FROM ticket WHERE kind = 'Day' INTERSECT SELECT museum_id FROM ticket WHERE kind = 'Night'
SELECT museum_id FROM ticket WHERE kind = 'Day' AND is_refunded = 'Yes' INTERSECT SELECT museum_id FROM ticket WHERE kind = 'Night' AND is_refunded = 'Yes'

SELECT kind, is_refunded FROM ticket
unchanged

SELECT COUNT(*) FROM ticket WHERE is_refunded = 'No'
unchanged

SELECT director FROM museum
unchanged
SELECT a.kind, b.kind FROM ticket AS a JOIN ticket AS b ON a.museum_id = b.museum_id
unchanged


-- postgres
SELECT COUNT(*) FROM ticket WHERE kind = 'Day'
SELECT COUNT(*) FROM ticket WHERE kind = 'Day' AND is_refunded = 'Yes'
