-- *The best-ranked schools*, and the last ones.

-- sqlite
SELECT Name FROM school ORDER BY World_Rank DESC LIMIT 3
SELECT Name FROM school ORDER BY World_Rank ASC LIMIT 3

SELECT founded FROM school GROUP BY founded ORDER BY AVG(World_Rank) DESC
SELECT founded FROM school GROUP BY founded ORDER BY AVG(World_Rank) ASC

SELECT Name FROM school ORDER BY World_Rank LIMIT 3
unchanged

SELECT Name FROM school ORDER BY founded DESC LIMIT 3
unchanged
