-- Double quotes around something that is no column, compared with one: a text.

-- sqlite
SELECT title FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id WHERE a.country = "Spain"
SELECT title FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id WHERE a.country = 'Spain'

SELECT title FROM painting WHERE "title" = "painted"
SELECT title FROM painting WHERE "title" = 'painted'

SELECT full_name FROM visitor WHERE card_type IN ("Gold", "Silver")
SELECT full_name FROM visitor WHERE card_type IN ('Gold', 'Silver')

SELECT full_name FROM visitor WHERE home_city = "card_type"
unchanged

SELECT full_name AS "who" FROM visitor ORDER BY "who"
unchanged

SELECT full_name FROM visitor WHERE home_city = [Lyon]
unchanged

-- postgres
SELECT full_name FROM visitor WHERE card_type = "Gold"
SELECT full_name FROM visitor WHERE card_type = 'Gold'

SELECT full_name FROM visitor WHERE home_city = "CardType"
unchanged

-- duckdb
SELECT full_name FROM visitor WHERE card_type LIKE "Go%"
SELECT full_name FROM visitor WHERE card_type LIKE 'Go%'
