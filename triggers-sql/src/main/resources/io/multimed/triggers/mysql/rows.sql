-- All rows of a table, as inserted ones.
INSERT INTO multimed.captured
    SELECT s.transaction_id, UUID_SHORT() & 0x7FFFFFFFFFFFFFFF, 'R', ${id}, NULL, COALESCE(CONCAT(${row}), multimed.refuse_large_row())
    FROM multimed.session s JOIN ${table} AS t WHERE s.connection = CONNECTION_ID()
