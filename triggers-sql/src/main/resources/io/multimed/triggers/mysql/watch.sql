-- Installs the capture triggers on one table (architecture 4.4). Statements are separated by empty lines, and executed
-- one by one. Each statement waits for transactions that have written to the table without triggers. Each trigger
-- stores one row for a changed row, under the number of the connection's transaction and a UUID_SHORT, whose order is
-- that of the changes. Clients can influence neither. Without a number the connection does not belong to Multimed, and
-- refuse_direct_write fails with 0A000. CONCAT returns NULL for a row above max_allowed_packet, and refuse_large_row
-- then fails with 0A000.
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
