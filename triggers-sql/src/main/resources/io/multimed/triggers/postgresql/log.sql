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
-- committed. "lsn" is a position in the log before the COMMIT.
CREATE TABLE IF NOT EXISTS multimed.receipt (session_id bigint NOT NULL, sequence int NOT NULL, lsn pg_lsn NOT NULL, PRIMARY KEY (session_id, sequence));
CREATE INDEX IF NOT EXISTS receipt_lsn ON multimed.receipt (lsn);

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

-- Writes the receipts of the open transaction in the round trip of its COMMIT. Fails with MM002 if another middleware
-- has taken over. "changed" tells whether the transaction has changed anything; if not, no receipt is written. "ddl"
-- tells whether it contains DDL.
CREATE OR REPLACE FUNCTION multimed.write_receipt(session_ids bigint[], sequences int[], epoch bigint, OUT changed boolean, OUT ddl boolean)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM multimed.admit(epoch);
    changed := pg_current_xact_id_if_assigned() IS NOT NULL AND current_setting('transaction_read_only') = 'off';
    ddl := changed AND EXISTS (SELECT FROM multimed.ddl_mark m WHERE m.xid = pg_current_xact_id_if_assigned());
    IF changed THEN
        INSERT INTO multimed.receipt SELECT u.session_id, u.sequence, pg_current_wal_insert_lsn() FROM unnest(session_ids, sequences) u (session_id, sequence);
    END IF;
END $$;

-- Ends a transaction, as multimed.seal() does: deferred constraints and triggers run first, with the client's
-- privileges; the parameters and "held" have the same meaning. Runs with the client's search_path.
CREATE OR REPLACE FUNCTION multimed.finish(session_ids bigint[], sequences int[], keep boolean, epoch bigint,
    OUT changed boolean, OUT ddl boolean, OUT held pg_catalog.text) LANGUAGE plpgsql AS $$
DECLARE
    zone pg_catalog.text;
    fence pg_catalog.text := pg_catalog.set_config('lock_timeout', '3s', true);
    written record;
BEGIN
    SET CONSTRAINTS ALL IMMEDIATE;
    written := multimed.write_receipt(session_ids, sequences, epoch); -- an expression: costs less than a query
    changed := written.changed;
    ddl := written.ddl;
    IF keep THEN
        RETURN;
    END IF;
    zone := pg_catalog.current_setting('TimeZone');
    RESET ALL;
    fence := pg_catalog.set_config('lock_timeout', '3s', true);
    IF zone OPERATOR(pg_catalog.<>) pg_catalog.current_setting('TimeZone') THEN
        PERFORM pg_catalog.set_config('TimeZone', zone, false);
    END IF;
    PERFORM pg_catalog.pg_advisory_unlock_all();
    UNLISTEN *;
    DISCARD SEQUENCES;
    IF pg_catalog.pg_my_temp_schema() OPERATOR(pg_catalog.<>) 0::pg_catalog.oid OR pg_catalog.current_setting('role') OPERATOR(pg_catalog.<>) 'none' THEN
        held := 'state';
    END IF;
END $$;
