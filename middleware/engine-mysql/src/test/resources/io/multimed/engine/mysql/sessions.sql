-- State of MariaDB's and MySQL's sessions, for SessionStateTest. Lines with | contain the statement that begins the
-- state, the statement that ends it, and its representation.

-- name: setup
CREATE FUNCTION sly() RETURNS INT NOT DETERMINISTIC NO SQL BEGIN SET @sly = 1; RETURN 1; END;

-- name: states
SET @mine = 5 | SET @mine = NULL | user variables;
SET @row_count = 5 | SET @row_count = NULL | user variables;
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
SELECT v AS row_count FROM thing;
SELECT found_rows FROM (SELECT 1 AS found_rows) t WHERE found_rows = 1;
SELECT warning_count, previous FROM (SELECT 1 AS warning_count, 2 AS previous) t;
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
-- refused: in one transaction
SELECT LASTVAL(counter);
-- refused: in one transaction
SELECT PREVIOUS VALUE FOR counter;
-- refused: in one transaction
INSERT INTO thing VALUES (LASTVAL(counter), 'x');
-- refused: in one transaction
INSERT INTO thing VALUES (PREVIOUS VALUE FOR counter, 'x');
-- refused: in one transaction
UPDATE thing SET v = PREVIOUS VALUE FOR counter WHERE id = 1;
-- refused: in one transaction
DELETE FROM thing WHERE id = LASTVAL(counter);
-- refused: in one transaction
DO LASTVAL(counter);
-- refused: in one transaction
SET @mine = LASTVAL(counter);
-- refused: in one transaction
SET @mine = ROW_COUNT();
-- refused: in one transaction
SET @mine = @@session.warning_count;
-- refused: in one transaction
SELECT @mine := FOUND_ROWS();
-- refused: in one transaction
SELECT PREVIOUS VALUE FOR counter INTO @mine;
-- refused: in one transaction
SELECT @@warning_count;
-- refused: in one transaction
SELECT GET_LOCK('mine', ROW_COUNT());
-- refused: in one transaction
CREATE TEMPORARY TABLE scratch AS SELECT LASTVAL(counter) AS a;
-- refused: in one transaction
CALL nothing(LASTVAL(counter));

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

-- name: hidden setup
-- The engine releases the locks of a closed connection a moment later: GET_LOCK waits.
CREATE TABLE hidden (id INT PRIMARY KEY, name VARCHAR(20));
INSERT INTO hidden VALUES (1, 'of a column');
CREATE TABLE hidden_too (id INT PRIMARY KEY, v INT);
INSERT INTO hidden_too VALUES (1, 1);
CREATE FUNCTION h_lock() RETURNS INT RETURN GET_LOCK('of a function', 10);
CREATE FUNCTION h_calls() RETURNS INT RETURN h_lock() + 1;
CREATE FUNCTION h_set() RETURNS INT BEGIN SET @hidden = 7; RETURN 1; END;
CREATE FUNCTION h_into() RETURNS INT BEGIN SELECT 7 INTO @hidden; RETURN 1; END;
CREATE FUNCTION h_table() RETURNS INT BEGIN CREATE TEMPORARY TABLE hidden_temp (v INT); INSERT INTO hidden_temp VALUES (7); RETURN 1; END;
CREATE FUNCTION h_setting() RETURNS INT BEGIN SET SESSION sort_buffer_size = 65536; RETURN 1; END;
CREATE PROCEDURE h_lock_in_procedure() DO GET_LOCK('of a procedure', 10);
CREATE PROCEDURE h_setting_in_procedure() SET SESSION sort_buffer_size = 65536;
CREATE VIEW h_view AS SELECT GET_LOCK('of a view', 10) AS l;
CREATE VIEW h_view_of_function AS SELECT h_set() AS l;
CREATE TABLE h_variables (id INT);
CREATE TRIGGER h_variables_trigger BEFORE INSERT ON h_variables FOR EACH ROW SET @hidden = 7;
CREATE TABLE h_locks (id INT);
CREATE TRIGGER h_locks_trigger AFTER INSERT ON h_locks FOR EACH ROW INSERT INTO h_variables VALUES (h_calls());
CREATE PROCEDURE h_inserts() INSERT INTO h_locks VALUES (1);

-- name: hidden states
SELECT GET_LOCK(CONCAT('a', 'b'), 10) | SELECT IS_USED_LOCK('ab') = CONNECTION_ID() | 1 | locks;
SELECT GET_LOCK(name, 10) FROM hidden | SELECT IS_USED_LOCK('of a column') = CONNECTION_ID() | 1 | locks;
SELECT (SELECT GET_LOCK('deep', 10)) FROM hidden | SELECT IS_USED_LOCK('deep') = CONNECTION_ID() | 1 | locks;
DO GET_LOCK('done', 10) | SELECT IS_USED_LOCK('done') = CONNECTION_ID() | 1 | locks;
SELECT GET_LOCK('one', 10), GET_LOCK('two', 10) | SELECT IS_USED_LOCK('two') = CONNECTION_ID() | 1 | locks;
INSERT INTO hidden VALUES (2, GET_LOCK('inserted', 10)) | SELECT IS_USED_LOCK('inserted') = CONNECTION_ID() | 1 | locks;
SELECT h_lock() | SELECT IS_USED_LOCK('of a function') = CONNECTION_ID() | 1 | locks;
SELECT h_calls() | SELECT IS_USED_LOCK('of a function') = CONNECTION_ID() | 1 | locks;
UPDATE hidden_too SET v = `h_lock`() WHERE id = 1 | SELECT IS_USED_LOCK('of a function') = CONNECTION_ID() | 1 | locks;
CALL h_lock_in_procedure() | SELECT IS_USED_LOCK('of a procedure') = CONNECTION_ID() | 1 | locks;
SELECT * FROM h_view | SELECT IS_USED_LOCK('of a view') = CONNECTION_ID() | 1 | locks;
INSERT INTO h_locks VALUES (1) | SELECT IS_USED_LOCK('of a function') = CONNECTION_ID() | 1 | locks;
CALL h_inserts() | SELECT IS_USED_LOCK('of a function') = CONNECTION_ID() | 1 | locks;
SELECT H_Set() | SELECT COALESCE(@hidden, 0) | 7 | user variables;
SELECT h_into() | SELECT COALESCE(@hidden, 0) | 7 | user variables;
SELECT * FROM h_view_of_function | SELECT COALESCE(@hidden, 0) | 7 | user variables;
INSERT INTO h_variables VALUES (1) | SELECT COALESCE(@hidden, 0) | 7 | user variables;
INSERT INTO hidden SELECT 3, h_set() | SELECT COALESCE(@hidden, 0) | 7 | user variables;
SELECT @hidden := 7 | SELECT COALESCE(@hidden, 0) | 7 | user variables;
SELECT 7 INTO @hidden | SELECT COALESCE(@hidden, 0) | 7 | user variables;
SELECT h_table() | SELECT v FROM hidden_temp | 7 | temporary tables;
SELECT h_setting() | SELECT @@SESSION.sort_buffer_size | 65536 | settings;
CALL h_setting_in_procedure() | SELECT @@SESSION.sort_buffer_size | 65536 | settings;

-- name: hidden states with parameters
SELECT GET_LOCK(?, 0) | SELECT IS_USED_LOCK(?) = CONNECTION_ID() | 1 | SELECT RELEASE_LOCK(?);
SELECT GET_LOCK(CONCAT('x', ?), 0) | SELECT IS_USED_LOCK(CONCAT('x', ?)) = CONNECTION_ID() | 1 | DO RELEASE_LOCK(CONCAT('x', ?));

-- name: all hidden locks released
SELECT RELEASE_ALL_LOCKS();

-- name: read-only setup
CREATE TABLE counted (id INT PRIMARY KEY, v INT);
INSERT INTO counted VALUES (1, 1);
CREATE FUNCTION ro_add() RETURNS INT BEGIN UPDATE counted SET v = v + 1; RETURN 1; END;
CREATE PROCEDURE ro_call() UPDATE counted SET v = v + 1;

-- name: read-only setup of sequences
-- not on mysql: it has none
CREATE SEQUENCE ro_sequence;

-- name: changes of sequences
-- not on mysql: it has none
SELECT NEXTVAL(ro_sequence);
SELECT NEXT VALUE FOR ro_sequence;

-- name: changes by any statement
INSERT INTO counted VALUES (2, 2);
CALL ro_call();
{call ro_call()};
DO ro_add();
SELECT ro_add();
SELECT ro_add() FROM counted;
SELECT v FROM counted WHERE id = 1 FOR UPDATE;
SELECT v FROM counted WHERE id = 1 AND ro_add() = 1;
INSERT INTO counted SELECT 3, ro_add();

-- name: read-only session
SET SESSION TRANSACTION READ ONLY;

-- name: read-only connections refuse changes in auto-commit
SELECT 1;
