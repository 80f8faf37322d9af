-- State of PostgreSQL's sessions, for SessionStateTest. In lines with |: what begins it, what ends it, how it is shown.

-- name: setup
CREATE ROLE guest;
GRANT SELECT, INSERT, UPDATE ON thing TO guest;
CREATE FUNCTION sly() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_lock(77); CREATE TEMP TABLE sly_temp (a int); RETURN 1; END $$;
CREATE FUNCTION sly_stable() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM pg_advisory_xact_lock(78); RETURN 1; END $$;
CREATE SEQUENCE counter;

-- name: states
SET statement_timeout = '7s' | RESET statement_timeout | settings;
SET search_path = pg_catalog, public | RESET ALL | settings;
SET statement_timeout = '7s' | SET statement_timeout TO DEFAULT | settings;
SET SESSION app.tenant = '5' | RESET app.tenant | settings;
SELECT set_config('app.tenant', '5', false) | SELECT set_config('app.tenant', '', false) | settings;
SELECT set_config('work_mem', '5MB', false) | RESET ALL | settings;
SET ROLE guest | RESET ROLE | role;
SET SESSION AUTHORIZATION guest | RESET SESSION AUTHORIZATION | role;
CREATE TEMP TABLE scratch (a int) | DROP TABLE scratch | temporary tables;
CREATE TEMPORARY TABLE scratch AS SELECT 1 AS a | DISCARD TEMP | temporary tables;
SELECT 1 AS a INTO TEMP scratch | DROP TABLE scratch | temporary tables;
SELECT pg_advisory_lock(5) | SELECT pg_advisory_unlock(5) | advisory locks;
SELECT pg_try_advisory_lock(5) | SELECT pg_advisory_unlock_all() | advisory locks;
PREPARE one AS SELECT 1 | DEALLOCATE one | prepared statements;
PREPARE one AS SELECT 1 | DEALLOCATE ALL | prepared statements;
DECLARE held CURSOR WITH HOLD FOR SELECT 1 | CLOSE held | cursors;
SELECT sly() | DISCARD ALL | advisory locks;
UPDATE thing SET v = 'a' WHERE id = 1 AND pg_advisory_lock(5) IS NOT NULL | SELECT pg_advisory_unlock(5) | advisory locks;
UPDATE thing SET v = set_config('app.tenant', 'a', false) | RESET app.tenant | settings;
DO $$ BEGIN CREATE TEMP TABLE scratch (a int); END $$ | DROP TABLE scratch | temporary tables;
SET default_transaction_read_only = on | DISCARD ALL | settings;
SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE | DISCARD ALL | settings;

-- name: passing
-- What ends with its transaction, or was not there.
SET LOCAL statement_timeout = '7s';
SET CONSTRAINTS ALL DEFERRED;
SELECT set_config('app.tenant', '5', true);
SELECT pg_advisory_xact_lock(5);
NOTIFY somebody;
SELECT nextval('counter');
CREATE TEMP TABLE passing (a int) ON COMMIT DROP;
RESET ALL;
DEALLOCATE ALL;
UNLISTEN *;
DISCARD ALL;

-- name: leaks
-- What one client may leave behind, and after it what another one would see of it.
SET statement_timeout = '7s';
SET app.tenant = '5';
SET default_transaction_isolation = serializable;
SET default_transaction_read_only = on;
SET ROLE guest;
PREPARE leak AS SELECT 1;
SELECT pg_advisory_lock(99);
SELECT sly_stable();

-- name: traces
SHOW statement_timeout | 0;
SELECT coalesce(current_setting('app.tenant', true), '') | ;
SHOW transaction_isolation | read committed;
SHOW transaction_read_only | off;
SELECT current_user = session_user AND session_user <> 'guest' | t;
SELECT count(*) FROM pg_prepared_statements WHERE name = 'leak' | 0;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid IN (77, 78, 99) | 0;
SELECT count(*) FROM pg_class WHERE relname LIKE 's%' AND relpersistence = 't' | 0;

-- name: refused
-- refused: LISTEN is not supported through Multimed
LISTEN somebody;
-- refused: LOAD is not supported through Multimed
LOAD 'auto_explain';
-- refused: there is no session that could know this
SELECT currval('counter');
-- refused: there is no session that could know this
SELECT lastval();
-- refused: this setting belongs to Multimed
SET session_replication_role = replica;
-- refused: names in the format U&"..." are not supported
SELECT 1 AS U&"a\0062";
-- refused: there is no session that could know this
EXECUTE nothing;
-- refused: prepared transactions are not supported through Multimed
PREPARE TRANSACTION 'x';

-- name: effects
-- Not for a satellite; the first leaves nothing.
SELECT pg_advisory_xact_lock(5);
SELECT pg_advisory_lock(5);
SELECT set_config('app.x', '1', true);
SET ROLE guest;

-- name: hidden effect
-- Found out by the engine, in a read-only transaction.
SELECT sly();

-- name: keep
-- A setting of one client, its name, the query of its value, and the statement that removes the setting and the
-- temporary table mine.
SET app.mine = '5';

-- name: kept
settings;

-- name: ask
SELECT current_setting('app.mine', true);

-- name: forget
DISCARD ALL;

-- name: lock
-- A lock that one client alone can have; says whether it has it.
SELECT pg_try_advisory_lock(6);

-- name: unlock
SELECT pg_advisory_unlock(6);

-- name: state of an unknown table
42P01;

-- name: all transactions read only
SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY;

-- name: all transactions read write
SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE;

-- name: begin at a level
START TRANSACTION ISOLATION LEVEL %s;

-- name: all transactions at a level
SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL %s;

-- name: function of no promise
CREATE FUNCTION effect() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1';

-- name: random
random();

-- name: several statements
SELECT 1; SELECT 2;

-- name: rename view
ALTER VIEW %s RENAME TO %s;

-- name: savepoint in a read-only transaction
SAVEPOINT here;

-- name: an open result
-- When another statement of its transaction runs.
stays open;

-- name: hidden setup
CREATE TABLE hidden (id int PRIMARY KEY, name varchar(20));
INSERT INTO hidden VALUES (1, 'x');
CREATE FUNCTION h_lock() RETURNS int LANGUAGE plpgsql AS $$BEGIN PERFORM pg_advisory_lock(7); RETURN 1; END$$;
CREATE FUNCTION h_set() RETURNS text LANGUAGE plpgsql AS $$BEGIN RETURN set_config('hidden.' || 'v', '7', false); END$$;
CREATE FUNCTION h_immutable() RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN set_config('hidden.v', '7', false); END$$;
CREATE FUNCTION h_calls() RETURNS text LANGUAGE sql AS $$SELECT h_set()$$;
CREATE FUNCTION h_table() RETURNS int LANGUAGE plpgsql AS $$BEGIN CREATE TEMP TABLE hidden_temp AS SELECT 7 AS v; RETURN 1; END$$;
CREATE FUNCTION h_prepare() RETURNS int LANGUAGE plpgsql AS $$BEGIN EXECUTE 'PREPARE hidden_statement AS SELECT 7'; RETURN 1; END$$;
CREATE FUNCTION h_listen() RETURNS int LANGUAGE plpgsql AS $$BEGIN EXECUTE 'LISTEN hidden_channel'; RETURN 1; END$$;
CREATE PROCEDURE h_procedure() LANGUAGE plpgsql AS $$BEGIN PERFORM set_config('hidden.' || 'v', '7', false); END$$;
CREATE VIEW h_view AS SELECT h_lock() AS l;
CREATE VIEW h_view_of_the_engine AS SELECT pg_try_advisory_lock(7) AS l;
CREATE TABLE h_changed (id int);
CREATE FUNCTION h_trigger() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM set_config('hidden.v', '7', false); RETURN NEW; END$$;
CREATE TRIGGER h_changed_trigger BEFORE INSERT ON h_changed FOR EACH ROW EXECUTE FUNCTION h_trigger();

-- name: hidden states
SELECT h_lock() | SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() | 1 | advisory locks;
SELECT * FROM h_view | SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() | 1 | advisory locks;
SELECT * FROM h_view_of_the_engine | SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() | 1 | advisory locks;
DO $$BEGIN PERFORM pg_advisory_lock(7); END$$ | SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() | 1 | advisory locks;
INSERT INTO hidden SELECT 5, h_lock() | SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() | 1 | advisory locks;
SELECT set_config('hidden.' || 'v', '7', false) | SELECT current_setting('hidden.v', true) | 7 | settings;
SELECT h_set() | SELECT current_setting('hidden.v', true) | 7 | settings;
SELECT h_immutable() | SELECT current_setting('hidden.v', true) | 7 | settings;
SELECT h_calls() | SELECT current_setting('hidden.v', true) | 7 | settings;
UPDATE hidden SET name = h_set() WHERE id = 1 | SELECT current_setting('hidden.v', true) | 7 | settings;
INSERT INTO h_changed VALUES (1) | SELECT current_setting('hidden.v', true) | 7 | settings;
CALL h_procedure() | SELECT current_setting('hidden.v', true) | 7 | settings;
DO $$BEGIN PERFORM set_config('hidden.' || 'v', '7', false); END$$ | SELECT current_setting('hidden.v', true) | 7 | settings;
DO $$BEGIN SET hidden.v = '7'; END$$ | SELECT current_setting('hidden.v', true) | 7 | settings;
DO $$BEGIN PERFORM h_set(); END$$ | SELECT current_setting('hidden.v', true) | 7 | settings;
SELECT h_table() | SELECT v FROM hidden_temp | 7 | temporary tables;
SELECT h_prepare() | SELECT count(*) FROM pg_prepared_statements WHERE name = 'hidden_statement' | 1 | prepared statements;
DO $$BEGIN EXECUTE 'PREPARE hidden_statement AS SELECT 7'; END$$ | SELECT count(*) FROM pg_prepared_statements WHERE name = 'hidden_statement' | 1 | prepared statements;
SELECT h_listen() | SELECT count(*) FROM pg_listening_channels() | 1 | channels;

-- name: hidden states with parameters
SELECT pg_advisory_lock(hashtext(?)) | SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND ? <> '' | 1 | SELECT pg_advisory_unlock(hashtext(?));

-- name: all hidden locks released
SELECT pg_advisory_unlock_all();

-- name: read-only setup
CREATE TABLE counted (id int PRIMARY KEY, v int);
INSERT INTO counted VALUES (1, 1);
CREATE FUNCTION ro_add() RETURNS int LANGUAGE plpgsql AS $$BEGIN UPDATE counted SET v = v + 1; RETURN 1; END$$;
CREATE PROCEDURE ro_call() LANGUAGE plpgsql AS $$BEGIN UPDATE counted SET v = v + 1; END$$;

-- name: read-only setup of sequences
CREATE SEQUENCE ro_sequence;

-- name: changes of sequences
SELECT nextval('ro_sequence');

-- name: changes by any statement
INSERT INTO counted VALUES (2, 2);
CALL ro_call();
DO $$BEGIN PERFORM ro_add(); END$$;
SELECT ro_add();
SELECT ro_add() FROM counted;
SELECT v FROM counted WHERE id = 1 FOR UPDATE;
SELECT v FROM counted WHERE id = 1 AND ro_add() = 1;
INSERT INTO counted SELECT 3, ro_add();
CREATE TABLE ro_created (id int);
WITH changed AS (UPDATE counted SET v = v + 1 RETURNING v) SELECT v FROM changed;

-- name: read-only session
SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY;

-- name: read-only connections refuse changes in auto-commit
-- not here: as with pgjdbc, setReadOnly concerns transactions only
