-- Indexes with all columns that the searches and Best Sellers read, as behind ON in CREATE INDEX.
order_line (ol_i_id, ol_o_id, ol_qty);
item (i_subject, i_a_id, i_id, i_title);
author (a_id, a_fname, a_lname);
item (i_title, i_a_id, i_id);
