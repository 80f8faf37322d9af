-- Captures all rows of a table as inserted ones, in the open transaction: satellites receive a new form of the table
-- with all its rows. The caller's isolation level determines which locks the read takes.
INSERT INTO multimed.captured
    SELECT s.transaction_id, UUID_SHORT() & 0x7FFFFFFFFFFFFFFF, 'R', ${id}, NULL, COALESCE(CONCAT(${row}), multimed.refuse_large_row())
    FROM multimed.session s JOIN ${table} AS t WHERE s.connection = CONNECTION_ID()
