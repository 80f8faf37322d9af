-- State of MariaDB's and MySQL's sessions, for SessionStateTest. Lines with | contain the statement that begins the
-- state, the statement that ends it, and its representation.

-- name: setup
CREATE FUNCTION sly() RETURNS INT NOT DETERMINISTIC NO SQL BEGIN SET @sly = 1; RETURN 1; END;

-- name: states
SET @mine = 5 | SET @mine = NULL | user variables;
SELECT @mine := 5 | SET @mine = NULL | user variables;
SELECT 5 INTO @mine | SET @mine = NULL | user variables;
UPDATE thing SET v = (@mine := 'a') | SET @mine = NULL | user variables;
CREATE TEMPORARY TABLE scratch (a INT) | DROP TEMPORARY TABLE scratch | temporary tables;
CREATE TEMPORARY TABLE scratch AS SELECT 1 AS a | DROP TEMPORARY TABLE IF EXISTS scratch | temporary tables;
SELECT GET_LOCK('mine', 0) | SELECT RELEASE_LOCK('mine') | locks;
DO GET_LOCK('mine', 0) | SELECT RELEASE_ALL_LOCKS() | locks;
UPDATE thing SET v = 'a' WHERE id = 1 AND GET_LOCK('mine', 0) | DO RELEASE_LOCK('mine') | locks;
SET SESSION sort_buffer_size = 400000 | SET SESSION sort_buffer_size = DEFAULT | settings;
SET sql_mode = 'ANSI_QUOTES' | SET sql_mode = DEFAULT | settings;
SET time_zone = '+05:00' | SET time_zone = DEFAULT | settings;

-- name: passing
-- What ends with its transaction, or was not there.
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;
SET SESSION TRANSACTION READ WRITE;
SET autocommit = 1;
SET sql_mode = @@sql_mode;
SELECT RELEASE_ALL_LOCKS();
DO SLEEP(0);
UNLOCK TABLES;
SHOW VARIABLES LIKE 'lower_case_%';

-- name: leaks
-- What one client may leave behind, and after it what another one would see of it.
SET @mine = 5;
CREATE TEMPORARY TABLE scratch (a INT);
SELECT GET_LOCK('leak', 0);
SET sql_mode = 'ANSI_QUOTES';
SET time_zone = '+05:00';
SET NAMES latin1;
SET character_set_results = NULL;
INSERT INTO thing (id, v) VALUES (99, 'leak');
SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE;
SET SESSION TRANSACTION READ ONLY;

-- name: traces
SELECT @mine IS NULL | 1;
SELECT COUNT(*) FROM scratch | 42S02;
SELECT IS_FREE_LOCK('leak') | 1;
SELECT @@sql_mode = @@GLOBAL.sql_mode | 1;
SELECT @@time_zone = @@GLOBAL.time_zone | 1;
SELECT @@character_set_client | utf8mb4;

-- name: refused
-- refused: FOR UPDATE
LOCK TABLES thing READ;
-- refused: FOR UPDATE
LOCK TABLES thing WRITE;
-- refused: XA transactions are not supported through Multimed
XA START 'a';
-- refused: HANDLER is not supported through Multimed
HANDLER thing OPEN;
-- refused: supported through Multimed
SET sql_mode = '', autocommit = 1;
-- refused: supported through Multimed
BEGIN NOT ATOMIC INSERT INTO thing (id) VALUES (1); COMMIT; END;
-- refused: in one transaction
SELECT FOUND_ROWS();

-- name: effects
-- Not for a satellite; the first leaves nothing.
SELECT RELEASE_ALL_LOCKS();
SELECT GET_LOCK('mine', 0);
SELECT @mine := 5;
SET @mine = 5;

-- name: hidden effect
-- not here: what functions do is not found out by the engine

-- name: keep
-- A setting of one client, its name, the query of its value, and the statement that removes the setting and the
-- temporary table mine.
SET @mine = 5;

-- name: kept
user variables;

-- name: ask
SELECT @mine;

-- name: forget
SET @mine = NULL;
DROP TEMPORARY TABLE IF EXISTS mine;
DO RELEASE_ALL_LOCKS();

-- name: lock
-- A lock that one client alone can have; says whether it has it.
SELECT GET_LOCK('only one', 0);

-- name: unlock
SELECT RELEASE_LOCK('only one');

-- name: state of an unknown table
42S02;

-- name: all transactions read only
SET SESSION TRANSACTION READ ONLY;

-- name: all transactions read write
SET SESSION TRANSACTION READ WRITE;

-- name: begin at a level
SET TRANSACTION ISOLATION LEVEL %s;
START TRANSACTION;

-- name: all transactions at a level
SET SESSION TRANSACTION ISOLATION LEVEL %s;

-- name: function of no promise
CREATE FUNCTION effect() RETURNS INT NO SQL RETURN 1;

-- name: random
rand();

-- name: several statements
-- not here: the engine's driver sends one statement at a time

-- name: rename view
RENAME TABLE %s TO %s;

-- name: savepoint in a read-only transaction
-- not here: the engine's driver takes it for a change

-- name: an open result
-- When another statement of its transaction runs.
is read to its end;

-- name: the node of a view that calls functions
master;
