-- Multimed's own schema on the master: what the triggers write and what seals a WriteSet (paper section 3.2.2, design 4.3 and 4.4).
-- Safe to run again at every start; existing WriteSets stay.

SELECT set_config('multimed.watching', 'on', true); -- an earlier version's event triggers leave this alone

CREATE SCHEMA IF NOT EXISTS multimed;
GRANT USAGE ON SCHEMA multimed TO PUBLIC; -- a client may have taken another role (SET ROLE): its changes are captured, too

-- The order's beginning: every SCN up to "scn" has been applied by all satellites and its row dropped.
CREATE TABLE IF NOT EXISTS multimed.base (scn bigint NOT NULL, cluster uuid NOT NULL);
INSERT INTO multimed.base SELECT 0, gen_random_uuid() WHERE NOT EXISTS (SELECT FROM multimed.base);

-- A sealed WriteSet: durable exactly when its transaction is. Four tables take turns, 65,536 SCNs each, so that what all satellites
-- have applied is dropped by TRUNCATE. No index: an insert costs least, and they are only read whole, when something was lost.
-- "spill" names the table that holds the earlier part of a large WriteSet, null where there is none.
CREATE TABLE IF NOT EXISTS multimed.sealed_0 (
    scn bigint NOT NULL, session_id bigint NOT NULL, sequence int NOT NULL, xid xid8 NOT NULL, spill smallint, rows text NOT NULL);
ALTER TABLE multimed.sealed_0 ALTER COLUMN rows SET STORAGE EXTERNAL; -- compressing costs more than it saves here
CREATE TABLE IF NOT EXISTS multimed.sealed_1 (LIKE multimed.sealed_0 INCLUDING ALL);
CREATE TABLE IF NOT EXISTS multimed.sealed_2 (LIKE multimed.sealed_0 INCLUDING ALL);
CREATE TABLE IF NOT EXISTS multimed.sealed_3 (LIKE multimed.sealed_0 INCLUDING ALL);

CREATE OR REPLACE VIEW multimed.sealed AS
    SELECT * FROM multimed.sealed_0 UNION ALL SELECT * FROM multimed.sealed_1
    UNION ALL SELECT * FROM multimed.sealed_2 UNION ALL SELECT * FROM multimed.sealed_3;

-- The earlier pieces of WriteSets that outgrew the buffer below. Three tables take turns by the hour.
CREATE TABLE IF NOT EXISTS multimed.spilled_0 (
    xid xid8 NOT NULL, piece bigint GENERATED ALWAYS AS IDENTITY, rows text NOT NULL);
ALTER TABLE multimed.spilled_0 ALTER COLUMN rows SET STORAGE EXTERNAL;
CREATE INDEX IF NOT EXISTS spilled_0_xid ON multimed.spilled_0 (xid, piece);
CREATE TABLE IF NOT EXISTS multimed.spilled_1 (LIKE multimed.spilled_0 INCLUDING ALL);
CREATE TABLE IF NOT EXISTS multimed.spilled_2 (LIKE multimed.spilled_0 INCLUDING ALL);

CREATE OR REPLACE VIEW multimed.spilled AS
    SELECT 0::smallint AS spill, * FROM multimed.spilled_0
    UNION ALL SELECT 1::smallint, * FROM multimed.spilled_1
    UNION ALL SELECT 2::smallint, * FROM multimed.spilled_2;

-- The WriteSet of the open transaction grows in the transaction-local setting multimed.writeset: in memory, undone with a savepoint, gone
-- with the transaction. The middleware's connections begin with it empty; where it is missing, somebody writes past the middleware.
-- A change is: operation, relation, lengths in bytes, then the row's text before and after, e.g. "U16403 5 5 (1,a)(1,b)".
CREATE OR REPLACE FUNCTION multimed.append(change text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    buffer text := current_setting('multimed.writeset', true) || change;
BEGIN
    IF buffer IS NULL THEN
        RAISE EXCEPTION 'this database is updated through Multimed only: a direct write would never reach its satellites'
            USING ERRCODE = '0A000', HINT = 'Connect with jdbc:multimed://... instead.';
    END IF;
    IF octet_length(buffer) > 4000 THEN
        PERFORM multimed.spill(buffer);
        buffer := '';
    END IF;
    PERFORM set_config('multimed.writeset', buffer, true);
END $$;

CREATE OR REPLACE FUNCTION multimed.spill(piece text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    place int := extract(epoch FROM now())::bigint / 3600 % 3; -- now() is the transaction's begin: one place for all its pieces
BEGIN
    CASE place
        WHEN 0 THEN INSERT INTO multimed.spilled_0 (xid, rows) VALUES (pg_current_xact_id(), piece);
        WHEN 1 THEN INSERT INTO multimed.spilled_1 (xid, rows) VALUES (pg_current_xact_id(), piece);
        ELSE INSERT INTO multimed.spilled_2 (xid, rows) VALUES (pg_current_xact_id(), piece);
    END CASE;
    PERFORM set_config('multimed.spill', place::text, true);
END $$;

-- One function for each kind of change: this is the hottest code on the master, so append() is written out in each. The settings make a
-- row's text the same whatever the application has set.
CREATE OR REPLACE FUNCTION multimed.capture_insert() RETURNS trigger LANGUAGE plpgsql
    SET datestyle = 'ISO' SET intervalstyle = 'postgres' SET extra_float_digits = 1 AS $$
DECLARE
    after text := NEW::text;
    buffer text := current_setting('multimed.writeset', true)
        || 'I' || TG_RELID || ' ' || octet_length(after) || ' ' || after;
BEGIN
    IF octet_length(buffer) <= 4000 THEN
        PERFORM set_config('multimed.writeset', buffer, true);
    ELSE
        PERFORM multimed.append('I' || TG_RELID || ' ' || octet_length(after) || ' ' || after);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION multimed.capture_update() RETURNS trigger LANGUAGE plpgsql
    SET datestyle = 'ISO' SET intervalstyle = 'postgres' SET extra_float_digits = 1 AS $$
DECLARE
    before text := OLD::text;
    after text := NEW::text;
    buffer text := current_setting('multimed.writeset', true)
        || 'U' || TG_RELID || ' ' || octet_length(before) || ' ' || octet_length(after) || ' ' || before || after;
BEGIN
    IF octet_length(buffer) <= 4000 THEN
        PERFORM set_config('multimed.writeset', buffer, true);
    ELSE
        PERFORM multimed.append('U' || TG_RELID || ' ' || octet_length(before) || ' ' || octet_length(after) || ' ' || before || after);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION multimed.capture_delete() RETURNS trigger LANGUAGE plpgsql
    SET datestyle = 'ISO' SET intervalstyle = 'postgres' SET extra_float_digits = 1 AS $$
DECLARE
    before text := OLD::text;
BEGIN
    PERFORM multimed.append('D' || TG_RELID || ' ' || octet_length(before) || ' ' || before);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION multimed.capture_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM multimed.append('T' || TG_RELID || ' ');
    RETURN NULL;
END $$;

-- A statement that every node runs at its place in the order (DDL, ANALYZE): search_path and text.
CREATE OR REPLACE FUNCTION multimed.append_statement(statement text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    path text := current_setting('search_path');
BEGIN
    PERFORM multimed.append(
        'X' || octet_length(path) || ' ' || octet_length(statement) || ' ' || path || statement);
END $$;

-- What the middleware must know of a relation to apply its rows: its names and the positions (among the live columns, from 0) of the
-- key's columns; none where there is no key.
CREATE OR REPLACE VIEW multimed.relation AS
    SELECT c.oid AS id, n.nspname::text AS schema_name, c.relname::text AS table_name,
        (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
        (SELECT array_agg((SELECT count(*) FROM pg_attribute b
                    WHERE b.attrelid = c.oid AND b.attnum > 0 AND b.attnum < a.attnum AND NOT b.attisdropped)::int
                ORDER BY a.attnum)
            FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
            WHERE i.indrelid = c.oid AND i.indisprimary) AS key_positions
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND c.relpersistence <> 't'
        AND n.nspname NOT IN ('multimed', 'pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_%';

CREATE OR REPLACE FUNCTION multimed.append_relation(relation oid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    description text;
BEGIN
    SELECT format('R%s %s ', r.id, 3 + cardinality(r.columns)) || (
            SELECT string_agg(octet_length(word) || ' ' || word, '' ORDER BY place)
            FROM unnest(ARRAY[r.schema_name, r.table_name, array_to_string(coalesce(r.key_positions, '{}'), ',')] || r.columns)
                WITH ORDINALITY words (word, place))
        INTO description FROM multimed.relation r WHERE r.id = relation;
    IF FOUND THEN
        PERFORM multimed.append(description);
    END IF;
END $$;

-- The name sorts before every other trigger's: a row is captured before the effects that user triggers and cascades have on it.
CREATE OR REPLACE FUNCTION multimed.watch(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    kind record;
BEGIN
    IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = relation AND tgname = '!multimed_insert') THEN
        RETURN;
    END IF;
    PERFORM set_config('multimed.watching', 'on', true); -- these triggers are the master's alone: no DDL for the satellites
    FOR kind IN SELECT * FROM (VALUES ('insert', 'ROW'), ('update', 'ROW'), ('delete', 'ROW'), ('truncate', 'STATEMENT')) k (name, level) LOOP
        EXECUTE format('CREATE TRIGGER %I AFTER %s ON %s FOR EACH %s EXECUTE FUNCTION multimed.%I()',
            '!multimed_' || kind.name, kind.name, relation, kind.level, 'capture_' || kind.name);
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', relation, '!multimed_' || kind.name);
    END LOOP;
    PERFORM set_config('multimed.watching', '', true);
END $$;

CREATE OR REPLACE FUNCTION multimed.unwatch(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    installed name;
BEGIN
    PERFORM set_config('multimed.watching', 'on', true);
    FOR installed IN SELECT tgname FROM pg_trigger WHERE tgrelid = relation AND tgname LIKE '!multimed\_%' LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', installed, relation);
    END LOOP;
    PERFORM set_config('multimed.watching', '', true);
END $$;

-- The total order's numbers. Taken while a transaction holds all its locks, so that of two that conflict the later one has the higher number.
CREATE SEQUENCE IF NOT EXISTS multimed.scn;

-- Seals the open transaction's WriteSet under the next SCN and gives it back, in the round trip of its COMMIT. Deferred constraints and
-- triggers run first: what they change belongs to the WriteSet. A transaction that wrote nothing has no SCN and leaves no row; one that wrote
-- only what satellites need not have (GRANT) leaves its receipt.
CREATE OR REPLACE FUNCTION multimed.seal(
    session_id bigint, sequence int, OUT scn bigint, OUT rows text, OUT spill smallint, OUT xid xid8) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    SET CONSTRAINTS ALL IMMEDIATE;
    rows := current_setting('multimed.writeset', true);
    spill := nullif(current_setting('multimed.spill', true), '')::smallint;
    IF rows = '' AND spill IS NULL AND pg_current_xact_id_if_assigned() IS NULL THEN
        RETURN;
    END IF;
    xid := pg_current_xact_id();
    scn := nextval('multimed.scn');
    CASE (scn >> 16) & 3
        WHEN 0 THEN INSERT INTO multimed.sealed_0 VALUES (scn, session_id, sequence, xid, spill, rows);
        WHEN 1 THEN INSERT INTO multimed.sealed_1 VALUES (scn, session_id, sequence, xid, spill, rows);
        WHEN 2 THEN INSERT INTO multimed.sealed_2 VALUES (scn, session_id, sequence, xid, spill, rows);
        ELSE INSERT INTO multimed.sealed_3 VALUES (scn, session_id, sequence, xid, spill, rows);
    END CASE;
END $$;
