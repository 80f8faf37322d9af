-- Installs the capture triggers on one table. Each statement waits for transactions that have written to the table
-- without triggers. Clients cannot influence the number and the order under which a connection's changes are stored.
-- Statements are separated by empty lines. COALESCE reports why a row cannot be captured: CONCAT is null above
-- max_allowed_packet.
CREATE TRIGGER ${schema}.multimed_${id}_insert AFTER INSERT ON ${table} FOR EACH ROW
    INSERT INTO multimed.captured VALUES (
        COALESCE((SELECT s.transaction_id FROM multimed.session s WHERE s.connection = CONNECTION_ID()), multimed.refuse_direct_write()),
        UUID_SHORT() & 0x7FFFFFFFFFFFFFFF, 'R', ${id},
        NULL, COALESCE(CONCAT(${new}), multimed.refuse_large_row()));

CREATE TRIGGER ${schema}.multimed_${id}_update AFTER UPDATE ON ${table} FOR EACH ROW
    INSERT INTO multimed.captured VALUES (
        COALESCE((SELECT s.transaction_id FROM multimed.session s WHERE s.connection = CONNECTION_ID()), multimed.refuse_direct_write()),
        UUID_SHORT() & 0x7FFFFFFFFFFFFFFF, 'R', ${id},
        COALESCE(CONCAT(${old}), multimed.refuse_large_row()), COALESCE(CONCAT(${new}), multimed.refuse_large_row()));

CREATE TRIGGER ${schema}.multimed_${id}_delete AFTER DELETE ON ${table} FOR EACH ROW
    INSERT INTO multimed.captured VALUES (
        COALESCE((SELECT s.transaction_id FROM multimed.session s WHERE s.connection = CONNECTION_ID()), multimed.refuse_direct_write()),
        UUID_SHORT() & 0x7FFFFFFFFFFFFFFF, 'R', ${id},
        COALESCE(CONCAT(${old}), multimed.refuse_large_row()), NULL);
