-- A bare column that two sources have: by the same name written in full, or by the join that makes them one.

-- sqlite
SELECT artist_id FROM artist AS a JOIN painting AS p ON a.artist_id = p.artist_id
SELECT a.artist_id FROM artist AS a JOIN painting AS p ON a.artist_id = p.artist_id

SELECT a.artist_id, COUNT(*) FROM artist AS a LEFT JOIN painting AS p ON a.artist_id = p.artist_id GROUP BY artist_id
SELECT a.artist_id, COUNT(*) FROM artist AS a LEFT JOIN painting AS p ON a.artist_id = p.artist_id GROUP BY a.artist_id

SELECT museum_id, COUNT(*) FROM painting AS p JOIN visit AS v GROUP BY v.museum_id
SELECT v.museum_id, COUNT(*) FROM painting AS p JOIN visit AS v ON TRUE GROUP BY v.museum_id

SELECT museum_id FROM painting AS p JOIN visit AS v
unchanged

SELECT artist_id FROM artist JOIN painting USING (artist_id)
unchanged

SELECT a.artist_id FROM artist AS a JOIN painting AS p ON a.artist_id = p.artist_id ORDER BY artist_id
unchanged

SELECT artist_id FROM artist AS a LEFT JOIN painting AS p ON a.artist_id = p.artist_id
unchanged
