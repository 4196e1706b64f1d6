-- *The average rank*, and the average of another column whose name says more than that.

-- sqlite
SELECT AVG(World_Rank) FROM school
SELECT AVG(Rank) FROM school

SELECT founded, AVG(s.World_Rank) FROM school AS s GROUP BY founded
SELECT founded, AVG(Rank) FROM school AS s GROUP BY founded

SELECT SUM(World_Rank) FROM school
unchanged

SELECT AVG(Rank) FROM school
unchanged
