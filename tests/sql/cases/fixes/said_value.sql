-- *Gold visitors*, *in France*, and another value: the one that was said; of a longer text the part.

-- sqlite
SELECT full_name FROM visitor WHERE card_type = 'Silver'
SELECT full_name FROM visitor WHERE card_type = 'Gold'

SELECT full_name FROM visitor WHERE card_type = 'Gold'
unchanged

SELECT full_name FROM visitor WHERE card_type = 'Silver' OR card_type = 'Gold'
unchanged

SELECT full_name FROM visitor WHERE card_type <> 'Silver'
unchanged

SELECT museum_name FROM museum WHERE director = 'Lyon, France'
SELECT museum_name FROM museum WHERE director LIKE '%France%'

SELECT museum_name FROM museum WHERE director = 'Lyon, Spain'
unchanged

-- postgres
SELECT full_name FROM visitor WHERE card_type = 'Silver'
SELECT full_name FROM visitor WHERE card_type = 'Gold'
