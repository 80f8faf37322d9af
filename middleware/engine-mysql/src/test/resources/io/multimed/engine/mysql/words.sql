-- What MariaDB and MySQL say in words of their own, for tests that are the same on every engine.

-- name: home
-- Where the tests' tables are, as Multimed tells it.
shop;

-- name: dead URL
jdbc:mysql://127.0.0.1:1/shop;

-- name: key
-- A column that is the key and gets its number from the engine.
INT AUTO_INCREMENT PRIMARY KEY;

-- name: bytes
LONGBLOB;

-- name: letters
-- The type needs nothing.

-- name: letter
ENUM ('a', 'b');

-- name: state of a duplicate key
23000;

-- name: states of a canceled statement
-- Which one depends on the moment of the cancel.
HY000 70100;

-- name: state of a change over a read-only connection
-- Of the engine's own driver, which does not even send it.
S1009;

-- name: catalog
SELECT TABLE_NAME FROM information_schema.TABLES;

-- name: delete one
-- Of several rows of a table that may be equal.
DELETE FROM %s WHERE %s LIMIT 1;

-- name: applier
-- On a satellite: the session that writes to it.
SELECT ID FROM information_schema.PROCESSLIST WHERE ID = IS_USED_LOCK('multimed_applier');

-- name: keeper
-- On the master: the session by which its middleware keeps others out.
SELECT ID FROM information_schema.PROCESSLIST WHERE ID = IS_USED_LOCK('multimed');

-- name: idle sessions
SELECT ID FROM information_schema.PROCESSLIST WHERE COMMAND = 'Sleep';

-- name: end session
KILL %s;

-- name: texts
LONGTEXT;

-- name: moment
TIMESTAMP NULL;

-- name: routines
-- A function, and a procedure that adds to the table part, which a trigger of several statements notes.
CREATE TABLE journal (part int, what varchar(40));
CREATE FUNCTION twice(a INT) RETURNS INT DETERMINISTIC BEGIN DECLARE b INT; SET b = a * 2; RETURN b; END;
CREATE TRIGGER part_noted AFTER INSERT ON part FOR EACH ROW BEGIN INSERT INTO journal VALUES (NEW.id, 'made'); INSERT INTO journal VALUES (NEW.id, CONCAT('; ', NEW.name)); END;
CREATE PROCEDURE add_part(t VARCHAR(40), INOUT made INT) BEGIN INSERT INTO part (name, n) VALUES (t, 77); SELECT n + made INTO made FROM part WHERE id = LAST_INSERT_ID(); END;

-- name: state of an unknown column
42S22;

-- name: names in URLs
-- Beside the engine's own: MariaDB is an engine of MySQL's family, and not the other way round.
mysql;

-- name: a transaction after an error
goes on;

-- name: DDL in a transaction
commits;

-- name: as if Multimed were not there
-- Before DDL past the middleware: the engine fires nothing.

-- name: sleep
SELECT SLEEP(%d);

-- name: ask the engine
SHOW TABLES LIKE 'held';

-- name: garble the last WriteSet
UPDATE multimed.captured SET kind = 'Z' WHERE transaction_id = (SELECT transaction_id FROM multimed.sealed ORDER BY scn DESC LIMIT 1);

-- name: two large results
-- The last statement returns them, the others prepare it.
CREATE PROCEDURE two_large_results() BEGIN SELECT REPEAT('a', 1500000); SELECT REPEAT('b', 1500000); END;
CALL two_large_results();

-- name: forget the copy
UPDATE multimed.applied SET cluster = UUID();

-- name: redefine on a satellite
ALTER TABLE redefined MODIFY v VARCHAR(20) CHARACTER SET latin1;
ALTER TABLE redefined MODIFY v VARCHAR(20) COLLATE utf8mb4_bin;
ALTER TABLE redefined MODIFY v VARCHAR(20) NOT NULL;
ALTER TABLE redefined MODIFY v VARCHAR(20) NULL, ADD UNIQUE KEY unwanted (v);
