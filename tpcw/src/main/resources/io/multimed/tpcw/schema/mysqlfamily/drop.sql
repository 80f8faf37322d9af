DROP VIEW IF EXISTS sold_line;
DROP TABLE IF EXISTS shopping_cart_line, shopping_cart, cc_xacts, order_line, orders, item, customer, author, address, country, tpcw_load;
