-- bypass: capture. A transaction that writes past the middleware is captured, and seals itself when it commits. Its receipt is session 0, which no
-- client has.
--
-- The order stays that of the commits by one advisory lock, the gate. A member of a commit group takes it shared before it takes its SCN, a bypassing
-- transaction exclusively; both hold it until their commit is visible. So nobody is between SCN and commit while a bypassing transaction is, and the
-- members of one group don't wait for each other.

-- One row for each step of an open bypassing transaction towards its commit: a deferred trigger is what PostgreSQL runs at a commit. "captured" is how
-- much there was when the step was put here.
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

-- The letters of "multimbp".
CREATE OR REPLACE FUNCTION multimed.gate() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT x'6d756c74696d6270'::bigint $$;

CREATE OR REPLACE FUNCTION multimed.next_scn() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(multimed.gate());
    RETURN nextval('multimed.scn');
END $$;

CREATE OR REPLACE FUNCTION multimed.last_bypassing() RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT greatest(0,
        (SELECT max(scn) FROM multimed.sealed_0 WHERE session_id = 0), (SELECT max(scn) FROM multimed.sealed_1 WHERE session_id = 0),
        (SELECT max(scn) FROM multimed.sealed_2 WHERE session_id = 0), (SELECT max(scn) FROM multimed.sealed_3 WHERE session_id = 0))
$$;

-- Whether the open transaction will seal itself when it commits.
CREATE OR REPLACE FUNCTION multimed.is_sealed_later() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM multimed.bypassing b WHERE b.xid = pg_current_xact_id_if_assigned())
$$;

-- The setting multimed.bypass is to such a transaction what multimed.writeset is to the middleware's, after one
-- character. It has the same witness and guard, which detect a change of the setting. Steps towards the commit, and the
-- SCN under which the transaction has sealed itself already, are only in tables.
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

CREATE OR REPLACE FUNCTION multimed.spill_bypassing() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    kept text := substr(current_setting('multimed.bypass'), 2);
BEGIN
    IF kept <> '' THEN
        PERFORM multimed.keep_bypassing(kept, '');
        PERFORM multimed.spill(kept);
    END IF;
END $$;

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
        PERFORM pg_advisory_xact_lock(multimed.gate());
        mine := nextval('multimed.scn');
        PERFORM pg_notify('multimed_bypass', ''); -- also keeps such a transaction from being prepared: it would keep the gate
    ELSE -- something was captured after all: nobody had an SCN meanwhile
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

-- While no middleware runs, nobody drops sealed WriteSets. Beyond 200,000 SCNs, or 1 GB of large ones, the history is given up: satellites are copied anew when
-- one runs again. What somebody uses just now is left to the next time.
DROP FUNCTION IF EXISTS multimed.forget(bigint); -- of an earlier version

CREATE OR REPLACE FUNCTION multimed.forget(upto bigint, large boolean) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part text;
BEGIN
    IF upto - (SELECT b.scn FROM multimed.base b) <= 200000 AND (NOT large
            OR (SELECT sum(pg_total_relation_size('multimed.spilled_' || i)) FROM generate_series(0, 2) i) <= 1 << 30) THEN
        RETURN;
    END IF;
    IF NOT pg_try_advisory_xact_lock(x'6d756c74696d6564'::bigint) THEN -- a running middleware's
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

-- Runs at the commit, among the deferred constraints and triggers of the application. What these capture belongs to the WriteSet, and they may wait for
-- others, which nobody may do inside the gate. So a step seals only if nothing was captured since it was put here; else the next one stands behind all others.
-- SET CONSTRAINTS ... IMMEDIATE makes it run early; the transaction may then seal again, under the same SCN.
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
        ALTER TABLE multimed.bypassing ENABLE ALWAYS TRIGGER order_bypassing; -- session_replication_role
    END IF;
END $do$;

-- The session that holds the gate for itself, if one does: its number, its transaction's, and who it is.
CREATE OR REPLACE VIEW multimed.gate_holder AS
    SELECT l.pid, l.virtualtransaction, format('process %s, user %s, application %s, client %s, %s', a.pid, a.usename, a.application_name,
        coalesce(a.client_addr::text, 'local'), a.state) AS who
    FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.mode = 'ExclusiveLock' AND l.granted AND l.objsubid = 1
        AND (l.classid::bigint << 32 | l.objid::bigint) = multimed.gate()
        AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());
