-- bypass: capture. A transaction that bypasses the middleware is captured, and seals itself when it commits
-- (triggers-sql/README.md). Its receipt has session 0, which no client has.
--
-- A lock on the table multimed.gate keeps SCNs in the order of the commits. A member of a commit group takes it in the
-- mode ROW SHARE before it takes its SCN, a bypassing transaction in EXCLUSIVE; both hold it until their commit is
-- visible. While a bypassing transaction is between its SCN and its commit, no other transaction is, and the members of
-- one group do not wait for each other. The lock is not an advisory lock, which any role can take.

-- The pending step of each open bypassing transaction towards its commit: PostgreSQL runs deferred triggers at a
-- commit, so that the trigger of the row runs then. "captured" is the size of the WriteSet when the row was inserted.
CREATE UNLOGGED TABLE IF NOT EXISTS multimed.bypassing (xid xid8 NOT NULL, captured text NOT NULL)
    WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

DO $do$ BEGIN
    IF to_regclass('multimed.sealed_0_bypassing') IS NULL THEN
        CREATE INDEX bypassing_xid ON multimed.bypassing (xid);
        CREATE INDEX sealed_0_bypassing ON multimed.sealed_0 (scn) WHERE session_id = 0;
        CREATE INDEX sealed_1_bypassing ON multimed.sealed_1 (scn) WHERE session_id = 0;
        CREATE INDEX sealed_2_bypassing ON multimed.sealed_2 (scn) WHERE session_id = 0;
        CREATE INDEX sealed_3_bypassing ON multimed.sealed_3 (scn) WHERE session_id = 0;
    END IF;
END $do$;

CREATE TABLE IF NOT EXISTS multimed.gate ();

-- Takes an SCN for a member of a commit group, with the gate in shared mode. The middleware ends a session that holds
-- the gate for too long before this wait ends.
CREATE OR REPLACE FUNCTION multimed.next_scn() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_catalog.set_config('lock_timeout', '10s', true);
    LOCK TABLE multimed.gate IN ROW SHARE MODE;
    RETURN nextval('multimed.scn');
END $$;

-- Returns the last SCN of a bypassing transaction; 0 if there is none. The partial indexes above make this fast.
CREATE OR REPLACE FUNCTION multimed.last_bypassing() RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT greatest(0,
        (SELECT max(scn) FROM multimed.sealed_0 WHERE session_id = 0), (SELECT max(scn) FROM multimed.sealed_1 WHERE session_id = 0),
        (SELECT max(scn) FROM multimed.sealed_2 WHERE session_id = 0), (SELECT max(scn) FROM multimed.sealed_3 WHERE session_id = 0))
$$;

-- Returns whether the open transaction will seal itself when it commits.
CREATE OR REPLACE FUNCTION multimed.is_sealed_later() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM multimed.bypassing b WHERE b.xid = pg_current_xact_id_if_assigned())
$$;

-- Appends a change to the setting multimed.bypass, which replaces multimed.writeset in these transactions and begins
-- with one additional character. The setting has the same witness and guard, which detect its modification. Steps
-- towards the commit, and the SCN under which the transaction has sealed itself already, are in tables only.
CREATE OR REPLACE FUNCTION multimed.append_bypassing(change text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kept text := substr(coalesce(current_setting('multimed.bypass', true), ''), 2);
    buffer text := kept || change;
BEGIN
    IF octet_length(buffer) > 4000 THEN
        PERFORM multimed.keep_bypassing(kept, '');
        PERFORM multimed.spill(buffer);
    ELSE
        PERFORM multimed.keep_bypassing(kept, buffer);
    END IF;
    INSERT INTO multimed.bypassing SELECT pg_current_xact_id(), '' WHERE NOT multimed.is_sealed_later();
END $$;

-- Changes the setting from "kept" to "buffer". If the transaction has sealed itself, a new guard and another seed make
-- sure that it does so again.
CREATE OR REPLACE FUNCTION multimed.keep_bypassing(kept text, buffer text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    witness text := coalesce(current_setting('multimed.witness', true), '');
    fresh bigint := uuid_hash_extended(gen_random_uuid(), 0);
    stands tid;
    seed bigint;
BEGIN
    IF witness <> '' THEN
        EXECUTE format('UPDATE multimed.unsealed_%s u SET seed = CASE WHEN u.sealed THEN $4 ELSE u.seed END, sealed = false,
                checksum = hashtextextended($2, CASE WHEN u.sealed THEN $4 ELSE u.seed END)
            WHERE u.ctid = $3 AND u.xid = pg_current_xact_id() AND u.checksum = hashtextextended($1, u.seed) RETURNING u.ctid, u.seed', multimed.place())
            INTO stands, seed USING kept, buffer, witness::tid, fresh;
        IF seed = fresh THEN
            EXECUTE format('INSERT INTO multimed.unsealed_%s (stood, seed) VALUES (''-infinity'', $1)', multimed.place()) USING seed;
        END IF;
    ELSIF kept = '' THEN
        stands := multimed.begin_writeset(buffer);
    END IF;
    IF stands IS NULL THEN
        PERFORM multimed.refuse_record();
    END IF;
    PERFORM set_config('multimed.witness', stands::text, true), set_config('multimed.bypass', '+' || buffer, true);
END $$;

-- Writes the buffer to multimed.spilled_*, as multimed.spill_buffer() does for the middleware's transactions.
CREATE OR REPLACE FUNCTION multimed.spill_bypassing() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    kept text := substr(current_setting('multimed.bypass'), 2);
BEGIN
    IF kept <> '' THEN
        PERFORM multimed.keep_bypassing(kept, '');
        PERFORM multimed.spill(kept);
    END IF;
END $$;

-- Seals the open transaction: takes the gate and an SCN, unless it has one already, and stores the WriteSet. The
-- transaction holds the gate until its end.
CREATE OR REPLACE FUNCTION multimed.seal_bypassing() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rows text := substr(current_setting('multimed.bypass', true), 2);
    stands tid := nullif(current_setting('multimed.witness', true), '')::tid;
    mine bigint;
    spill smallint;
    witness record;
BEGIN
    EXECUTE format('SELECT u.* FROM multimed.unsealed_%s u WHERE u.ctid = $1 AND u.xid = pg_current_xact_id() AND u.checksum = hashtextextended($2, u.seed)',
        multimed.place()) INTO witness USING stands, rows;
    IF witness.seed IS NULL THEN
        PERFORM multimed.refuse_record();
    END IF;
    mine := witness.scn;
    spill := CASE WHEN witness.pieces > 0 THEN multimed.place() END;
    IF mine IS NULL THEN
        LOCK TABLE multimed.gate IN EXCLUSIVE MODE;
        mine := nextval('multimed.scn');
        PERFORM pg_notify('multimed_bypass', ''); -- also prevents PREPARE TRANSACTION, which would keep the gate
    ELSE -- changes after the first seal: no other transaction has taken an SCN since
        FOR place IN 0 .. 3 LOOP
            EXECUTE format('DELETE FROM multimed.sealed_%s WHERE session_id = 0 AND scn = %s', place, mine);
        END LOOP;
        DELETE FROM multimed.spilling WHERE scn = mine;
    END IF;
    EXECUTE format('INSERT INTO multimed.sealed_%s VALUES ($1, 0, 0, pg_current_xact_id(), $2, $3, $4, $5)', (SELECT t.last_value & 3 FROM multimed.turn t))
        USING mine, spill, CASE WHEN spill IS NOT NULL THEN witness.pieces END, rows, spill IS NOT NULL AND witness.ddl;
    INSERT INTO multimed.spilling SELECT mine, spill WHERE spill IS NOT NULL;
    EXECUTE format('UPDATE multimed.unsealed_%s u SET scn = $2, sealed = true WHERE u.ctid = $1 RETURNING u.ctid', multimed.place())
        INTO stands USING stands, mine;
    PERFORM set_config('multimed.witness', stands::text, true), set_config('multimed.sealing', multimed.seal_token(witness.seed), true);
    PERFORM multimed.forget(mine, spill IS NOT NULL);
END $$;

-- While no middleware runs, sealed WriteSets are not dropped. Beyond 200,000 SCNs, or 1 GB of large WriteSets, the
-- history is discarded: all satellites are seeded again when a middleware runs. Tables that are in use are emptied at a
-- later call.
CREATE OR REPLACE FUNCTION multimed.forget(upto bigint, large boolean) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part text;
BEGIN
    IF upto - (SELECT b.scn FROM multimed.base b) <= 200000 AND (NOT large
            OR (SELECT sum(pg_total_relation_size('multimed.spilled_' || i)) FROM generate_series(0, 2) i) <= 1 << 30) THEN
        RETURN;
    END IF;
    IF NOT pg_try_advisory_xact_lock(x'6d756c74696d6564'::bigint) THEN -- a running middleware holds this lock
        RETURN;
    END IF;
    UPDATE multimed.base SET scn = upto;
    DELETE FROM multimed.spilling WHERE scn <= upto;
    FOREACH part IN ARRAY '{sealed_0,sealed_1,sealed_2,sealed_3,spilled_0,spilled_1,spilled_2}'::text[] LOOP
        BEGIN
            EXECUTE format('LOCK multimed.%s IN ACCESS EXCLUSIVE MODE NOWAIT', part);
            EXECUTE format('TRUNCATE multimed.%s', part);
        EXCEPTION WHEN lock_not_available THEN
            CONTINUE;
        END;
    END LOOP;
END $$;

REVOKE ALL ON FUNCTION multimed.seal_bypassing(), multimed.forget(bigint, boolean) FROM PUBLIC;

-- Runs at the commit, among the deferred constraints and triggers of the application. Changes that these make belong to
-- the WriteSet, and these may wait for other transactions, which must not happen while the transaction holds the gate.
-- Therefore a step seals only if nothing was captured since its row was inserted; otherwise the next step is queued
-- behind all other triggers. SET CONSTRAINTS ... IMMEDIATE makes it run early; the transaction may then seal again,
-- under the same SCN.
CREATE OR REPLACE FUNCTION multimed.order_bypassing() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    captured text := concat((SELECT w.pieces FROM multimed.witness() w), ' ', octet_length(current_setting('multimed.bypass', true)));
BEGIN
    DELETE FROM multimed.bypassing WHERE xid = NEW.xid;
    SET CONSTRAINTS multimed.order_bypassing DEFERRED;
    IF NEW.captured = captured THEN
        PERFORM multimed.seal_bypassing();
    ELSE
        INSERT INTO multimed.bypassing VALUES (NEW.xid, captured);
    END IF;
    RETURN NULL;
END $$;

DO $do$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'multimed.bypassing'::regclass AND tgname = 'order_bypassing') THEN
        CREATE CONSTRAINT TRIGGER order_bypassing AFTER INSERT ON multimed.bypassing
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION multimed.order_bypassing();
        ALTER TABLE multimed.bypassing ENABLE ALWAYS TRIGGER order_bypassing; -- regardless of session_replication_role
    END IF;
END $do$;

-- The session that holds the gate in exclusive mode, if there is one: process id, virtual transaction, and a
-- description of its client.
CREATE OR REPLACE VIEW multimed.gate_holder AS
    SELECT l.pid, l.virtualtransaction, format('process %s, user %s, application %s, client %s, %s', a.pid, a.usename, a.application_name,
        coalesce(a.client_addr::text, 'local'), a.state) AS who
    FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'relation' AND l.mode = 'ExclusiveLock' AND l.granted AND l.relation = 'multimed.gate'::regclass
        AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());
