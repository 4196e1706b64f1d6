-- *Sorted by price, highest first*: that is one word about it.

-- sqlite
SELECT title FROM painting ORDER BY price DESC
unchanged
