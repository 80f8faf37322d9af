-- All rows of a table, as inserted ones.
INSERT INTO multimed.captured
    SELECT @multimed_transaction, @multimed_changes + ROW_NUMBER() OVER (), 'R', ${id}, NULL, COALESCE(CONCAT(${row}), multimed.refuse_large_row())
    FROM ${table} AS t
