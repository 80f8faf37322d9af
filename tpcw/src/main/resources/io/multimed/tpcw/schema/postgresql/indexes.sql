-- Run after the load: indexes for the lookups of the interactions, then foreign keys, then statistics of the planner.
CREATE INDEX author_lname ON author (a_lname varchar_pattern_ops);
CREATE INDEX address_zip ON address (addr_zip);
CREATE INDEX customer_addr ON customer (c_addr_id);
CREATE UNIQUE INDEX customer_uname ON customer (c_uname);
CREATE INDEX item_title ON item (i_title);
CREATE INDEX item_subject_pub ON item (i_subject, i_pub_date DESC, i_title);
CREATE INDEX item_author ON item (i_a_id);
CREATE INDEX order_line_item ON order_line (ol_i_id);
CREATE INDEX orders_customer ON orders (o_c_id);
ALTER TABLE address ADD FOREIGN KEY (addr_co_id) REFERENCES country;
ALTER TABLE customer ADD FOREIGN KEY (c_addr_id) REFERENCES address;
ALTER TABLE item ADD FOREIGN KEY (i_a_id) REFERENCES author;
ALTER TABLE orders ADD FOREIGN KEY (o_c_id) REFERENCES customer;
ALTER TABLE order_line ADD FOREIGN KEY (ol_o_id) REFERENCES orders;
ALTER TABLE order_line ADD FOREIGN KEY (ol_i_id) REFERENCES item;
ALTER TABLE cc_xacts ADD FOREIGN KEY (cx_o_id) REFERENCES orders;
ALTER TABLE shopping_cart_line ADD FOREIGN KEY (scl_sc_id) REFERENCES shopping_cart;
ALTER TABLE shopping_cart_line ADD FOREIGN KEY (scl_i_id) REFERENCES item;
-- The lines of all orders with the columns of Best Sellers; a satellite may store the rows of this view.
CREATE VIEW sold_line AS SELECT i_subject, ol_o_id, i_id, i_title, a_id, a_fname, a_lname, ol_qty FROM order_line JOIN item ON i_id = ol_i_id JOIN author ON a_id = i_a_id;
ANALYZE;
