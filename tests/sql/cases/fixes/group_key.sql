-- The key of some row of each group: the key that the group is by.

-- sqlite
SELECT painting_id, COUNT(*) FROM painting GROUP BY artist_id
SELECT artist_id, COUNT(*) FROM painting GROUP BY artist_id

SELECT v.id, AVG(v.paid) FROM visit AS v GROUP BY v.museum_id
SELECT v.museum_id, AVG(v.paid) FROM visit AS v GROUP BY v.museum_id

SELECT artist_id, painting_id, COUNT(*) FROM painting GROUP BY artist_id
unchanged

SELECT painting_id FROM painting GROUP BY artist_id
unchanged

SELECT artist_id, COUNT(*) FROM artist GROUP BY country
unchanged
