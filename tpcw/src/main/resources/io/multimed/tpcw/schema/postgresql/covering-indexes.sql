-- Indexes for the searches and Best Sellers, as behind ON in CREATE INDEX. They contain all columns that these
-- statements read; the last one finds a word within a title.
order_line (ol_i_id, ol_o_id) INCLUDE (ol_qty);
item (i_subject) INCLUDE (i_id, i_title, i_a_id);
author (a_id) INCLUDE (a_fname, a_lname);
item USING gin (i_title gin_trgm_ops);
