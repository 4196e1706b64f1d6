-- *Tickets with a discount*, where a number tells; an island is nothing that is or is not.

-- sqlite
SELECT kind FROM ticket WHERE kind = 'Day'
SELECT kind FROM ticket WHERE kind = 'Day' AND has_discount = 1

SELECT SUM(has_discount) FROM ticket
unchanged
