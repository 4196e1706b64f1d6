-- *Visits per museum name*: whoever says so wants namesakes in one group.

-- sqlite
SELECT m.museum_name, COUNT(*) FROM museum AS m JOIN visit AS v ON v.museum_id = m.museum_id GROUP BY m.museum_name
unchanged
