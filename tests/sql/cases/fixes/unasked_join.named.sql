-- What the question names outright is asked for, even where its words are about others as well.

-- sqlite
SELECT a.country, COUNT(*) FROM artist AS a JOIN painting AS p ON a.artist_id = p.artist_id GROUP BY a.country
unchanged
