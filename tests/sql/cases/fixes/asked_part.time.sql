-- *Paintings started in May*: that is no beginning of a text.

-- sqlite
SELECT title FROM painting WHERE painted_on LIKE '%MAY%'
unchanged
