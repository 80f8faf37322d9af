-- In place of the capture of changes, where satellites are standbys that replay the master's log: receipts of commits,
-- and marks of transactions with DDL. The script runs after install.sql and ddl.sql, removes their event triggers, and
-- can run again at every start.
SELECT multimed.trust();

DROP EVENT TRIGGER IF EXISTS multimed_ddl;
DROP EVENT TRIGGER IF EXISTS multimed_drop;
DROP EVENT TRIGGER IF EXISTS multimed_rewrite;

-- Triggers on tables that an earlier start has left with propagation: triggers. Satellites that were copied then are no
-- copies any more: the history is another one.
DO $do$
DECLARE
    left_over record;
BEGIN
    FOR left_over IN SELECT t.tgname, t.tgrelid::regclass AS relation FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
        WHERE t.tgname LIKE '!multimed\_%' AND p.pronamespace = 'multimed'::regnamespace AND t.tgparentid = 0 LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', left_over.tgname, left_over.relation);
    END LOOP;
    IF FOUND THEN
        UPDATE multimed.base SET cluster = gen_random_uuid();
    END IF;
END $do$;
DELETE FROM multimed.told; -- standbys have everything; the middleware reads the catalog itself

-- The commits of recent time, by the receipts of their clients: an entry exists if and only if its transaction has
-- committed. One row for each transaction, which several clients may have shared. "lsn" is a position in the log before
-- the COMMIT. Rows are found by their receipts only after a failure.
DO $do$
BEGIN
    IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('multimed.receipt') AND attname = 'session_id') THEN
        DROP TABLE multimed.receipt; -- of an earlier version; its clients are gone
    END IF;
END $do$;
CREATE TABLE IF NOT EXISTS multimed.receipt (lsn pg_lsn NOT NULL, session_ids bigint[] NOT NULL, sequences int[] NOT NULL);
CREATE INDEX IF NOT EXISTS receipt_lsn ON multimed.receipt USING brin (lsn);

-- Runs at the end of each DDL command, and after objects were dropped: the middleware renews what it knows about the
-- schema when the transaction has committed.
CREATE OR REPLACE FUNCTION multimed.mark_schema() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT multimed.has_token('trusted') AND current_setting('transaction_read_only') = 'off' THEN
        INSERT INTO multimed.ddl_mark VALUES (pg_current_xact_id()) ON CONFLICT DO NOTHING;
    END IF;
END $$;

DROP EVENT TRIGGER IF EXISTS multimed_log_ddl;
CREATE EVENT TRIGGER multimed_log_ddl ON ddl_command_end EXECUTE FUNCTION multimed.mark_schema();
ALTER EVENT TRIGGER multimed_log_ddl ENABLE ALWAYS;

-- Writes the receipts of the open transaction in the message of its COMMIT. Fails with MM002 if another middleware
-- has taken over. "changed" tells whether the transaction has changed anything; if not, no receipt is written. "ddl"
-- tells whether it contains DDL.
CREATE OR REPLACE FUNCTION multimed.write_receipt(session_ids bigint[], sequences int[], epoch bigint, OUT changed boolean, OUT ddl boolean)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM multimed.admit(epoch);
    changed := pg_current_xact_id_if_assigned() IS NOT NULL;
    ddl := changed AND EXISTS (SELECT FROM multimed.ddl_mark m WHERE m.xid = pg_current_xact_id_if_assigned());
    IF changed AND current_setting('transaction_read_only') = 'off' THEN -- it may have become read-only after a change
        INSERT INTO multimed.receipt VALUES (pg_current_wal_insert_lsn(), session_ids, sequences);
    END IF;
END $$;

DROP FUNCTION IF EXISTS multimed.finish(bigint[], int[], boolean, bigint); -- of an earlier version
