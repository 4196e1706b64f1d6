-- LIKE on a date, which these engines do not have.

-- duckdb
SELECT title FROM painting WHERE painted_on LIKE '1990-03%'
SELECT title FROM painting WHERE (painted_on >= CAST('1990-03-01' AS DATE) AND painted_on < CAST('1990-04-01' AS DATE))

SELECT title FROM painting WHERE NOT painted_on LIKE '1990-12-%' OR price > 3
SELECT title FROM painting WHERE NOT (painted_on >= CAST('1990-12-01' AS DATE) AND painted_on < CAST('1991-01-01' AS DATE)) OR price > 3

SELECT title FROM painting WHERE painted_on LIKE '1990%' AND painted_on LIKE '1990-03-04'
SELECT title FROM painting WHERE (painted_on >= CAST('1990-01-01' AS DATE) AND painted_on < CAST('1991-01-01' AS DATE)) AND (painted_on >= CAST('1990-03-04' AS DATE) AND painted_on < CAST('1990-03-05' AS DATE))

SELECT title FROM painting WHERE painted_on LIKE '%-03-%' OR title LIKE '1990%' OR painted_on LIKE '1990-13%'
unchanged

-- postgres
SELECT p.title FROM painting AS p WHERE p.painted_on LIKE '1990-03%'
SELECT p.title FROM painting AS p WHERE (p.painted_on >= CAST('1990-03-01' AS DATE) AND p.painted_on < CAST('1990-04-01' AS DATE))

-- sqlite
SELECT title FROM painting WHERE painted_on LIKE '1990-03%'
unchanged
