"""Word lists for the grammar: reserved words, functions of read queries, typical names of results.

`sql/` decides what may run; these lists only guide a small model.
"""

RESERVED = frozenset(
    """
    ADD ALL ALTER ANALYZE AND ANY AS ASC BETWEEN BY CASE CAST CHECK COLLATE COLUMN COMMIT CONSTRAINT
    CREATE CROSS CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DEFAULT DELETE DESC DISTINCT DROP ELSE END
    ESCAPE EXCEPT EXISTS EXPLAIN FALSE FETCH FILTER FOR FOREIGN FROM FULL GLOB GRANT GROUP HAVING IN
    INDEX INNER INSERT INTERSECT INTO IS ISNULL JOIN KEY LEFT LIKE LIMIT MATCH NATURAL NOT NOTNULL NULL
    OFFSET ON OR ORDER OUTER OVER PARTITION PRIMARY QUALIFY RANGE RECURSIVE REFERENCES REGEXP RENAME
    REPLACE RIGHT ROW ROWS SELECT SET SOME TABLE THEN TO TRANSACTION TRIGGER TRUE UNION UNIQUE UPDATE
    USE USER USING VALUES VIEW WHEN WHERE WINDOW WITH
    """.split()
)

FUNCTIONS = tuple(
    """
    abs age any_value array_agg avg bool_and bool_or ceil ceiling char_length coalesce concat concat_ws
    corr count count_if countif cume_dist curdate date date_add date_diff date_format date_part date_sub
    date_trunc datediff datetime day dayname dayofmonth dayofweek dayofyear dense_rank exp extract_year
    first_value floor format formatdatetime from_unixtime greatest group_concat hour if ifnull iif instr
    isnull julianday lag last_day last_value lead least left length len listagg ln log log10 log2 lower
    lpad ltrim max median min minute mod month monthname now nth_value ntile nullif nvl percent_rank
    percentile_cont percentile_disc position pow power printf quarter quantile rank regexp_contains
    regexp_like regexp_matches regexp_replace regexp_substr replace reverse right round row_number rpad
    rtrim safe_divide second sign split_part sqrt stddev stddev_pop stddev_samp str_to_date strftime
    string_agg strpos substr substring sum time timestamp timestampdiff to_char to_date to_number
    to_timestamp today toyear tomonth total trim trunc try_cast typeof ucase uniq uniqexact unixepoch
    upper var_pop var_samp variance week weekday year
    """.split()
)

UNITS = tuple(
    """
    year years quarter month months week weeks day days hour hours minute minutes second seconds dow doy
    epoch
    """.split()
)

# Typical first words of result names; a suffix may follow: total_sales, avg_price_2.
WORDS = tuple(
    """
    amount average avg cnt count diff difference distinct first frequency highest last longest lowest
    max maximum mean min minimum most most_recent n newest num number oldest percent percentage pct rank
    ranked ranking rate ratio result rn row_num row_number rownum running share shortest sub subq
    subquery sum tmp top total unique value
    """.split()
)
