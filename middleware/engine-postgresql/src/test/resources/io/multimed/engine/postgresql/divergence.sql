-- Statements for DivergenceTest that could make PostgreSQL's satellites differ from their master, or give one client's
-- session state to another.

-- name: setup
CREATE TABLE log (id serial PRIMARY KEY);
CREATE TABLE item (id int PRIMARY KEY, x int);
INSERT INTO item VALUES (1, 1);
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.log DEFAULT VALUES; RETURN 1; END';
CREATE VIEW calling AS SELECT f() AS one;
CREATE FUNCTION stable_f() RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN f(); END';
CREATE FUNCTION immutable_f() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT f()';
CREATE FUNCTION immutable_pl() RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN f(); END';
CREATE FUNCTION rowf(item) RETURNS int LANGUAGE sql AS 'SELECT f()';
CREATE FUNCTION added(item, item) RETURNS int LANGUAGE sql AS 'SELECT f()';
CREATE OPERATOR + (FUNCTION = added, LEFTARG = item, RIGHTARG = item);
CREATE TYPE pair AS (a int, b int);
CREATE FUNCTION to_int(pair) RETURNS int LANGUAGE sql AS 'SELECT f()';
CREATE CAST (pair AS int) WITH FUNCTION to_int(pair);
CREATE FUNCTION "Foo"() RETURNS int LANGUAGE sql STABLE AS 'SELECT 1';
CREATE FUNCTION foo() RETURNS int LANGUAGE sql AS 'SELECT f()';
CREATE FUNCTION sets() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('search_path', 'pg_catalog', false), set_config('work_mem', '5MB', false); RETURN 1; END $$;
CREATE FUNCTION stable_sets() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM set_config('search_path', 'pg_catalog', false), set_config('extra_float_digits', '-3', false); RETURN 1; END $$;
CREATE FUNCTION on_item() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM sets(), pg_advisory_lock(4711); SET ROLE pg_monitor; RETURN NEW; END $$;
CREATE TABLE setting_item (id int PRIMARY KEY);
CREATE TRIGGER on_item BEFORE INSERT ON setting_item FOR EACH ROW EXECUTE FUNCTION on_item();
CREATE FUNCTION makes_temp() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN CREATE TEMP TABLE hidden (a int); RETURN NEW; END $$;
CREATE TABLE temp_item (id int PRIMARY KEY);
CREATE TRIGGER makes_temp BEFORE INSERT ON temp_item FOR EACH ROW EXECUTE FUNCTION makes_temp();
CREATE VIEW set_view AS SELECT set_config('search_path', 'pg_catalog', false) AS path, set_config('extra_float_digits', '-3', false) AS digits;
CREATE VIEW node_view AS SELECT has_table_privilege('item', 'UPDATE') AS may_update, current_setting('data_directory') AS folder;
CREATE FUNCTION sets_by_query() RETURNS text LANGUAGE sql STABLE AS $$ SELECT query_to_xml('SELECT set_' || 'config(''extra_float_digits'', ''-3'', false)', true, true, '')::text $$;
CREATE FUNCTION keeps() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'LISTEN hidden'; RETURN NEW; END $$;
CREATE TABLE kept_item (id int PRIMARY KEY);
CREATE TRIGGER keeps BEFORE INSERT ON kept_item FOR EACH ROW EXECUTE FUNCTION keeps();
CREATE FUNCTION locks() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_lock(4711); RETURN NEW; END $$;
CREATE TABLE locked_item (id int PRIMARY KEY, x int CHECK (x > 0));
CREATE TRIGGER locks BEFORE INSERT ON locked_item FOR EACH ROW EXECUTE FUNCTION locks();
CREATE FUNCTION erases() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('multi' || 'med.writeset', '', true), set_config('multi' || 'med.witness', '', true); RETURN NULL; END $$;
CREATE TABLE erased_item (id serial PRIMARY KEY);
CREATE CONSTRAINT TRIGGER erases AFTER INSERT ON erased_item DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION erases();
CREATE FUNCTION forgetting(x bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('multi' || 'med.rewritten', '', true); RETURN x * 10; END $$;
CREATE FUNCTION making(x bigint) RETURNS int LANGUAGE plpgsql AS $$ BEGIN CREATE TABLE made (a int); RETURN x + 7; END $$;
CREATE FUNCTION calls_f(x int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN PERFORM public.f(); RETURN x; END';
CREATE TABLE cast_item (id int PRIMARY KEY, x text);
CREATE FUNCTION cast_item_text(cast_item) RETURNS text LANGUAGE sql AS $$ SELECT '(1,' || current_user || ')' $$;
CREATE ROLE clerk LOGIN PASSWORD 'clerk';
GRANT CREATE ON SCHEMA public TO clerk;
CREATE TABLE clerks (id int PRIMARY KEY, x int);
ALTER TABLE clerks OWNER TO clerk;

-- name: reads
SELECT one FROM calling;
WITH f AS (SELECT 1) SELECT f();
SELECT stable_f();
SELECT immutable_f();
SELECT immutable_pl();
SELECT a + b FROM item a, item b;
SELECT ROW(1, 2)::pair::int;
SELECT t.rowf FROM item t;
SELECT foo();
EXPLAIN ANALYZE SELECT f();
VALUES (f());

-- name: erasures
RESET ALL;
SET LOCAL "multimed"."writeset" = '';
SELECT set_config('multi' || 'med.writeset', '', true);
DO $$ BEGIN PERFORM set_config('multi' || 'med.writeset', '', true); END $$;
DO $$ BEGIN RESET ALL; END $$;
DO $$ BEGIN EXECUTE 'SET LOCAL multi' || 'med.writeset = ''''' ; UPDATE item SET x = x + 10; END $$;
DO $$ BEGIN EXECUTE 'RE' || 'SET ALL'; UPDATE item SET x = x + 10; END $$;
SET CONSTRAINTS ALL IMMEDIATE;
SAVEPOINT a; UPDATE item SET x = x + 5; ROLLBACK TO a;
DECLARE c CURSOR WITH HOLD FOR SELECT f() FROM generate_series(1, 3);
INSERT INTO erased_item DEFAULT VALUES;
DO $$ BEGIN BEGIN UPDATE item SET x = x + 5; RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END; END $$;
SELECT setval('multimed.scn', 2);
DO $$ BEGIN EXECUTE 'SELECT setval(''multi' || 'med.scn'', 2)'; END $$;
DO $$ BEGIN PERFORM set_config('multi' || 'med.writeset', replace(current_setting('multi' || 'med.writeset'), '1', '2'), true); END $$;
DO $$ DECLARE kept text := current_setting('multi' || 'med.writeset'); BEGIN UPDATE item SET x = x + 10; PERFORM set_config('multi' || 'med.writeset', kept, true); END $$;
DO $$ DECLARE kept text := current_setting('multi' || 'med.writeset'); BEGIN UPDATE item SET x = x + 10; PERFORM set_config('multi' || 'med.writeset', kept, true); UPDATE item SET x = x + 10; END $$;
DO $$ DECLARE kept text := current_setting('multi' || 'med.writeset'); place text := current_setting('multi' || 'med.witness', true); BEGIN UPDATE item SET x = x + 10; PERFORM set_config('multi' || 'med.writeset', kept, true), set_config('multi' || 'med.witness', place, true); END $$;
DO $$ DECLARE undone text; BEGIN BEGIN UPDATE item SET x = x + 10; undone := current_setting('multi' || 'med.writeset'); RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END; UPDATE item SET x = x + 20; PERFORM set_config('multi' || 'med.writeset', undone, true); END $$;
DO $$ BEGIN PERFORM set_config('multi' || 'med.writeset', '', true), set_config('multi' || 'med.witness', '', true), set_config('multi' || 'med.guards', '-1', true); UPDATE item SET x = x + 10; END $$;
DO $$ BEGIN PERFORM set_config('multi' || 'med.witness', '(0,1)', true); UPDATE item SET x = x + 10; END $$;
DO $$ BEGIN PERFORM set_config('multi' || 'med.witness', 'nowhere', true); UPDATE item SET x = x + 10; END $$;
DO $$ BEGIN INSERT INTO log SELECT FROM generate_series(1, 1000); PERFORM set_config('multi' || 'med.writeset', '', true); END $$;
DO $$ BEGIN INSERT INTO log SELECT FROM generate_series(1, 1000); PERFORM set_config('multi' || 'med.spill', '', true), set_config('multi' || 'med.pieces', '1', true); END $$;
DO $$ BEGIN EXECUTE 'SELECT multi' || 'med.seal(1, 1, 0, false, 1)'; END $$;
DO $$ BEGIN EXECUTE 'SELECT multi' || 'med.write_seal(1, 1, 0, 1, NULL)'; END $$;
DO $$ BEGIN EXECUTE 'SELECT multi' || 'med.seal_shared(''{1,2}'', ''{1,1}'', ''{item}'', 0, 1)'; END $$;
DO $$ BEGIN EXECUTE 'SELECT multi' || 'med.write_receipts(''{1,2}'', ''{1,1}'', 0, 1)'; END $$;

-- name: own
SELECT setval('multimed.scn', 2);
SELECT multimed.append('Zgarbage');
SELECT multimed.append_statement('SELECT 1');
SELECT multimed.seal_shared('{1,2}', '{1,1}', '{item}', 0, 1);
SELECT scn, others FROM "multimed"."seal_shared"('{1,2}', '{1,1}', '{item}', 0, 1);
SELECT multimed.write_receipts('{1,2}', '{1,1}', 0, 1);
UPDATE item SET x = cardinality(multimed.write_receipts('{1,2}', '{1,1}', 0, 1));
SELECT multimed.require_shareable('{1}');
UPDATE multimed.base SET scn = 7;
DELETE FROM multimed.sealed_0;
DELETE FROM "multimed".told;
SET LOCAL "multimed"."writeset" = '';
SELECT set_config('multimed.writeset', '', true);
SET search_path TO multimed;
VACUUM FULL;
VACUUM FULL VERBOSE ANALYZE;
VACUUM (FULL, ANALYZE);

-- name: evasions
-- DDL after which changes could be missing in WriteSets.
CREATE OR REPLACE TRIGGER "!multimed_row" AFTER UPDATE ON item FOR EACH ROW WHEN (false) EXECUTE FUNCTION on_item();
ALTER TRIGGER "!multimed_row" ON item RENAME TO renamed;
ALTER TABLE item DISABLE TRIGGER ALL;
DO $$ BEGIN PERFORM set_config('multi' || 'med.watching', 'on', true), set_config('multi' || 'med.trusted', 'on', true); ALTER TABLE item ADD COLUMN y int DEFAULT 5; END $$;
DO $$ BEGIN PERFORM set_config('multi' || 'med.later', 'on', true); ALTER TABLE item ADD COLUMN z int DEFAULT 6; END $$;
ALTER TABLE item ALTER COLUMN x TYPE bigint USING forgetting(x);
ALTER TABLE item ALTER COLUMN x TYPE int USING making(x);
CREATE TABLE indexed (id int PRIMARY KEY, x int); CREATE INDEX ON indexed (calls_f(x)); INSERT INTO indexed VALUES (1, 1); UPDATE indexed SET x = 2;
CREATE TABLE parted (id int, x int) PARTITION BY RANGE (calls_f(x)); CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (10); INSERT INTO parted VALUES (1, 1); ALTER TABLE parted DETACH PARTITION parted_1; ALTER TABLE parted ATTACH PARTITION parted_1 FOR VALUES FROM (0) TO (10);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (10) TO (20); INSERT INTO parted VALUES (1, 11); ALTER TABLE parted ADD PRIMARY KEY (id, x); DROP TABLE parted;
CREATE TABLE whole AS SELECT 1 AS "multimed row", 2 AS b;

-- name: bypasses
-- By an account that owns the table, but has no other privileges, past Multimed.
UPDATE clerks SET x = 0;
SET multimed.writeset = ''; UPDATE clerks SET x = 0;
SET multimed.watching = 'on'; SET multimed.trusted = 'on'; ALTER TABLE clerks ADD COLUMN y int DEFAULT 5;
SET multimed.later = 'on'; ALTER TABLE clerks ADD COLUMN y int DEFAULT 5;
CREATE OR REPLACE TRIGGER "!multimed_row" BEFORE UPDATE ON clerks FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
BEGIN; SET LOCAL multimed.writeset = ''; UPDATE clerks SET x = 0; DO $$ BEGIN EXECUTE 'SET CONSTRAINTS ALL IMMEDIATE /* function multimed.seal(bigint,integer,bigint,boolean,bigint) */'; END $$; COMMIT;
BEGIN; SET LOCAL multimed.writeset = ''; SET LOCAL multimed.sealing = 'on'; UPDATE clerks SET x = 0; SET CONSTRAINTS ALL IMMEDIATE; COMMIT;
BEGIN; SET LOCAL multimed.writeset = ''; UPDATE clerks SET x = 0; SELECT multimed.permit_seal(1); COMMIT;
BEGIN; SET LOCAL multimed.writeset = ''; UPDATE clerks SET x = 0; SELECT multimed.seal(1, 1, 0, false, 1); COMMIT;
BEGIN; SET LOCAL multimed.writeset = ''; UPDATE clerks SET x = 0; SELECT multimed.seal_shared('{1,2}', '{1,1}', '{clerks}', 0, 1); COMMIT;
BEGIN; SET LOCAL multimed.writeset = ''; UPDATE clerks SET x = 0; SELECT multimed.write_receipts('{1,2}', '{1,1}', 0, 1); COMMIT;
SELECT multimed.write_receipts('{1,2}', '{1,1}', 0, 1);
SELECT multimed.begin_later(1);
SELECT multimed.token('trusted');
SELECT epoch FROM multimed.base;

-- name: leaks
INSERT INTO kept_item VALUES (1);
CREATE DOMAIN pg_temp.uuid AS text;
INSERT INTO setting_item VALUES (1);
INSERT INTO temp_item VALUES (1);
CREATE TABLE pg_temp.mine (a int);
EXPLAIN ANALYZE SELECT sets();
SELECT sets();
DO $$ BEGIN SET work_mem = '6MB'; END $$;

-- name: setting reads
SELECT stable_sets();
SELECT stable_sets() FROM item;
SELECT path, digits FROM set_view;
SELECT sets_by_query() FROM item;

-- name: read session
SELECT id / 7.0::float8, current_setting('search_path') FROM item;

-- name: session
-- What a client sees of its session.
SELECT concat_ws(' ', current_setting('search_path'), current_setting('work_mem'), current_setting('role'), current_user, to_regclass('pg_temp.mine'), to_regclass('pg_temp.hidden'), to_regtype('pg_temp.uuid'), (SELECT count(*) FROM pg_listening_channels()), (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()));
