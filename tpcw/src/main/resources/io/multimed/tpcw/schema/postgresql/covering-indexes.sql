-- Indexes with all columns that the searches and Best Sellers read, as behind ON in CREATE INDEX.
order_line (ol_i_id, ol_o_id) INCLUDE (ol_qty);
item (i_subject) INCLUDE (i_id, i_title, i_a_id);
author (a_id) INCLUDE (a_fname, a_lname);
