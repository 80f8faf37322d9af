-- Puts the capture triggers on one table. Each waits for the transactions that have written to the table without it.
-- Statements are divided by empty lines. COALESCE tells why a row cannot be captured: CONCAT is null beyond max_allowed_packet.
CREATE TRIGGER ${schema}.multimed_${id}_insert AFTER INSERT ON ${table} FOR EACH ROW
BEGIN
    SET @multimed_changes = @multimed_changes + 1;
    INSERT INTO multimed.captured VALUES (COALESCE(@multimed_transaction, multimed.refuse_direct_write()), @multimed_changes, 'R', ${id},
        NULL, COALESCE(CONCAT(${new}), multimed.refuse_large_row()));
END;

CREATE TRIGGER ${schema}.multimed_${id}_update AFTER UPDATE ON ${table} FOR EACH ROW
BEGIN
    SET @multimed_changes = @multimed_changes + 1;
    INSERT INTO multimed.captured VALUES (COALESCE(@multimed_transaction, multimed.refuse_direct_write()), @multimed_changes, 'R', ${id},
        COALESCE(CONCAT(${old}), multimed.refuse_large_row()), COALESCE(CONCAT(${new}), multimed.refuse_large_row()));
END;

CREATE TRIGGER ${schema}.multimed_${id}_delete AFTER DELETE ON ${table} FOR EACH ROW
BEGIN
    SET @multimed_changes = @multimed_changes + 1;
    INSERT INTO multimed.captured VALUES (COALESCE(@multimed_transaction, multimed.refuse_direct_write()), @multimed_changes, 'R', ${id},
        COALESCE(CONCAT(${old}), multimed.refuse_large_row()), NULL);
END;
