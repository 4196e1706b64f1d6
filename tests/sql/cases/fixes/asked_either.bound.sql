-- *Born in 1900 or later in Spain*: a bound, and no choice.

-- sqlite
SELECT Name FROM artist WHERE BirthYear >= 1900 AND country = 'Spain'
unchanged
