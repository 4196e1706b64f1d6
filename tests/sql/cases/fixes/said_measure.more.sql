-- *The average world rank*: that is said.

-- sqlite
SELECT AVG(World_Rank) FROM school
unchanged
