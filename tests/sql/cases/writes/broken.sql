-- What is no write at all, whole or in part: refused in every dialect, by whichever rule meets it first.

;
DELETE
DELETE FROM
UPDATE orders SET
UPDATE orders SET id = id = 1 WHERE
UPDATE orders SET 1 = 1 WHERE id = 1
UPDATE 'x' SET a = 1 WHERE id = 1
INSERT INTO orders
INSERT INTO orders ()
INSERT INTO orders VALUES
INSERT INTO orders (id) 5
INSERT INTO orders (1) VALUES (1)
DELETE FROM (SELECT 1) WHERE id = 1
DELETE FROM f(1) WHERE id = 1
DELETE FROM orders WHERE ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((id = 1
