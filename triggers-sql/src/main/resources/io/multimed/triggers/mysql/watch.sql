-- Puts the capture triggers on one table. Each waits for the transactions that have written to the table without it.
-- MySQL keeps a trigger in memory for other sessions, with what it knows of the one that ran it: where that one had the variable, the trigger reads it as 0, not as
-- NULL, in a session that does not have it. So both mean a stranger.
-- Statements are divided by empty lines. COALESCE tells why a row cannot be captured: CONCAT is null beyond max_allowed_packet.
CREATE TRIGGER ${schema}.multimed_${id}_insert AFTER INSERT ON ${table} FOR EACH ROW
BEGIN
    SET @multimed_changes = @multimed_changes + 1;
    INSERT INTO multimed.captured VALUES (IF(@multimed_transaction <> 0, @multimed_transaction, multimed.refuse_direct_write()), @multimed_changes, 'R', ${id},
        NULL, COALESCE(CONCAT(${new}), multimed.refuse_large_row()));
END;

CREATE TRIGGER ${schema}.multimed_${id}_update AFTER UPDATE ON ${table} FOR EACH ROW
BEGIN
    SET @multimed_changes = @multimed_changes + 1;
    INSERT INTO multimed.captured VALUES (IF(@multimed_transaction <> 0, @multimed_transaction, multimed.refuse_direct_write()), @multimed_changes, 'R', ${id},
        COALESCE(CONCAT(${old}), multimed.refuse_large_row()), COALESCE(CONCAT(${new}), multimed.refuse_large_row()));
END;

CREATE TRIGGER ${schema}.multimed_${id}_delete AFTER DELETE ON ${table} FOR EACH ROW
BEGIN
    SET @multimed_changes = @multimed_changes + 1;
    INSERT INTO multimed.captured VALUES (IF(@multimed_transaction <> 0, @multimed_transaction, multimed.refuse_direct_write()), @multimed_changes, 'R', ${id},
        COALESCE(CONCAT(${old}), multimed.refuse_large_row()), NULL);
END;
