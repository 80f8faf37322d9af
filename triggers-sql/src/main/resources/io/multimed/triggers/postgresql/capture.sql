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

-- The setting multimed.bypass is to such a transaction what multimed.writeset is to the middleware's, after one character: "+" where a step towards
-- the commit is on its way, else "-", or nothing in a transaction that has captured nothing yet.
CREATE OR REPLACE FUNCTION multimed.append_bypassing(change text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    kept text := coalesce(current_setting('multimed.bypass', true), '');
    buffer text := substr(kept, 2) || change;
BEGIN
    IF octet_length(buffer) > 4000 THEN
        PERFORM multimed.spill(buffer);
        buffer := '';
    END IF;
    PERFORM set_config('multimed.bypass', '+' || buffer, true);
    IF left(kept, 1) IS DISTINCT FROM '+' THEN
        INSERT INTO multimed.bypassing VALUES (pg_current_xact_id(), '');
    END IF;
END $$;

CREATE OR REPLACE FUNCTION multimed.spill_bypassing() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    kept text := current_setting('multimed.bypass');
BEGIN
    IF substr(kept, 2) <> '' THEN
        PERFORM multimed.spill(substr(kept, 2));
        PERFORM set_config('multimed.bypass', left(kept, 1), true);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION multimed.seal_bypassing() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    mine bigint := nullif(current_setting('multimed.bypass_scn', true), '')::bigint;
    spill smallint := nullif(current_setting('multimed.spill', true), '')::smallint;
    rows text := substr(current_setting('multimed.bypass'), 2);
BEGIN
    IF mine IS NULL THEN
        PERFORM pg_advisory_xact_lock(multimed.gate());
        mine := nextval('multimed.scn');
        PERFORM set_config('multimed.bypass_scn', mine::text, true);
        PERFORM pg_notify('multimed_bypass', ''); -- also keeps such a transaction from being prepared: it would keep the gate
    ELSE -- something was captured after all: nobody had an SCN meanwhile
        FOR place IN 0 .. 3 LOOP
            EXECUTE format('DELETE FROM multimed.sealed_%s WHERE session_id = 0 AND scn = %s', place, mine);
        END LOOP;
        DELETE FROM multimed.spilling WHERE scn = mine;
    END IF;
    EXECUTE format('INSERT INTO multimed.sealed_%s VALUES ($1, 0, 0, pg_current_xact_id(), $2, $3, $4, $5)', (SELECT t.last_value & 3 FROM multimed.turn t))
        USING mine, spill, nullif(current_setting('multimed.pieces', true), '')::int, rows,
            spill IS NOT NULL AND coalesce(current_setting('multimed.ddl', true), '') = 'on';
    INSERT INTO multimed.spilling SELECT mine, spill WHERE spill IS NOT NULL;
    PERFORM multimed.forget(mine);
END $$;

-- While no middleware runs, nobody drops sealed WriteSets. Beyond 200,000 SCNs, or 1 GB of large ones, the history is given up: satellites are copied anew when
-- one runs again. What somebody uses just now is left to the next time.
CREATE OR REPLACE FUNCTION multimed.forget(upto bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    part text;
BEGIN
    IF upto - (SELECT b.scn FROM multimed.base b) <= 200000 AND (coalesce(current_setting('multimed.spill', true), '') = ''
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

REVOKE ALL ON FUNCTION multimed.seal_bypassing(), multimed.forget(bigint) FROM PUBLIC;

-- Runs at the commit, among the deferred constraints and triggers of the application. What these capture belongs to the WriteSet, and they may wait for
-- others, which nobody may do inside the gate. So a step seals only if nothing was captured since it was put here; else the next one stands behind all others.
-- SET CONSTRAINTS ... IMMEDIATE makes it run early; the transaction may then seal again, under the same SCN.
CREATE OR REPLACE FUNCTION multimed.order_bypassing() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    kept text := current_setting('multimed.bypass');
    captured text := concat(current_setting('multimed.pieces', true), ' ', octet_length(kept));
BEGIN
    DELETE FROM multimed.bypassing WHERE xid = NEW.xid;
    SET CONSTRAINTS multimed.order_bypassing DEFERRED;
    IF NEW.captured = captured THEN
        PERFORM multimed.seal_bypassing();
        PERFORM set_config('multimed.bypass', '-' || substr(kept, 2), true);
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
