-- What is denied is said of something else than what is shown; what is not denied is asked for.

-- sqlite
SELECT full_name FROM visitor WHERE id NOT IN (SELECT visitor_id FROM visit)
SELECT full_name FROM visitor WHERE NOT id IN (SELECT visitor_id FROM visit) AND card_type = 'Gold'
