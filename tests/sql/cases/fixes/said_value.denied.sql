-- *Plain visitors, not the gold ones*: the value that is said is not the one that is meant.

-- sqlite
SELECT full_name FROM visitor WHERE card_type = 'Silver'
unchanged
