-- Writes that pass in one dialect, named above; what is sent stands below each.

-- sqlite
WITH new AS (SELECT id FROM customers WHERE city = 'Oslo') INSERT INTO orders (customer_id) SELECT id FROM new
WITH new AS (SELECT id FROM customers WHERE city = 'Oslo') INSERT INTO orders (customer_id) SELECT id FROM new

INSERT INTO main.ORDERS (ID) VALUES (1)
INSERT INTO main.ORDERS (ID) VALUES (1)

INSERT INTO order_items VALUES (1, 2, 3, 4, 5.5, 0)
INSERT INTO order_items ("id", "order_id", "product_id", "quantity", "unit_price", "discount") VALUES (1, 2, 3, 4, 5.5, 0)

-- postgres
WITH old AS (SELECT id FROM orders WHERE total < 1) DELETE FROM orders WHERE id IN (SELECT id FROM old)
WITH old AS (SELECT id FROM orders WHERE total < 1) DELETE FROM orders WHERE id IN (SELECT id FROM old)

UPDATE public.orders SET order_date = order_date + INTERVAL '1 day' WHERE id = 1
UPDATE public.orders SET order_date = order_date + INTERVAL '1 DAY' WHERE id = 1

INSERT INTO products (attributes) VALUES ('{"color": "red"}'::jsonb)
INSERT INTO products (attributes) VALUES (CAST('{"color": "red"}' AS JSONB))

-- duckdb
INSERT INTO order_items SELECT 1, 2, 3, 4, 5.5, 0
INSERT INTO order_items ("id", "order_id", "product_id", "quantity", "unit_price", "discount") SELECT 1, 2, 3, 4, 5.5, 0

-- mysql
INSERT INTO orders SET id = 1, status = 'new'
INSERT INTO orders (id, status) VALUES (1, 'new')

INSERT INTO orders (customer_id) WITH new AS (SELECT id FROM customers) SELECT id FROM new
INSERT INTO orders (customer_id) WITH new AS (SELECT id FROM customers) SELECT id FROM new
