-- Writes that pass in every dialect that has them, under ../../../policy.json; what is sent stands below each.

INSERT INTO orders (id, customer_id, status) VALUES (1, 2, 'new')
INSERT INTO orders (id, customer_id, status) VALUES (1, 2, 'new')

insert into orders (id, total) values (1, 2.5), (2, null);
INSERT INTO orders (id, total) VALUES (1, 2.5), (2, NULL)

INSERT INTO orders (id, customer_id) SELECT id, id FROM customers WHERE country = 'DE' -- all of them
INSERT INTO orders (id, customer_id) SELECT id, id FROM customers WHERE country = 'DE'

INSERT INTO orders (id, total) SELECT o.id + 100, o.total FROM orders o JOIN customers c ON c.id = o.customer_id
INSERT INTO orders (id, total) SELECT o.id + 100, o.total FROM orders AS o JOIN customers AS c ON c.id = o.customer_id

UPDATE orders SET status = 'paid' WHERE id = 3
UPDATE orders SET status = 'paid' WHERE id = 3

UPDATE orders SET total = total * 1.1, status = UPPER(status) WHERE customer_id IN (SELECT id FROM customers WHERE city = 'Paris')
UPDATE orders SET total = total * 1.1, status = UPPER(status) WHERE customer_id IN (SELECT id FROM customers WHERE city = 'Paris')

UPDATE orders SET orders.status = 'x' WHERE orders.id = 3
UPDATE orders SET status = 'x' WHERE orders.id = 3

UPDATE orders AS o SET status = 'x' WHERE o.id = 3
UPDATE orders AS o SET status = 'x' WHERE o.id = 3

UPDATE orders SET total = (SELECT SUM(i.quantity * i.unit_price) FROM order_items AS i WHERE i.order_id = orders.id) WHERE id = 3
UPDATE orders SET total = (SELECT SUM(i.quantity * i.unit_price) FROM order_items AS i WHERE i.order_id = orders.id) WHERE id = 3

DELETE FROM orders WHERE status = 'new' AND total < 10
DELETE FROM orders WHERE status = 'new' AND total < 10

DELETE FROM orders WHERE NOT EXISTS (SELECT 1 FROM customers AS c WHERE c.id = orders.customer_id)
DELETE FROM orders WHERE NOT EXISTS(SELECT 1 FROM customers AS c WHERE c.id = orders.customer_id)

UPDATE customers SET name = 'x' WHERE id = 1
UPDATE customers SET name = 'x' WHERE id = 1
