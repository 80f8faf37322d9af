-- Statements for DivergenceTest that could make satellites of MariaDB and MySQL differ from their master.

-- name: setup
CREATE TABLE log (id int AUTO_INCREMENT PRIMARY KEY, v int);
CREATE TABLE item (id int PRIMARY KEY, x int);
INSERT INTO item VALUES (1, 1);
CREATE FUNCTION f() RETURNS int DETERMINISTIC MODIFIES SQL DATA BEGIN INSERT INTO log (v) VALUES (1); RETURN 1; END;
CREATE VIEW calling AS SELECT f() AS one;

-- name: reads
SELECT one FROM calling;
WITH f AS (SELECT 1) SELECT f();
SELECT f();

-- name: erasures
SET CHARACTER SET utf8mb4;
SAVEPOINT a;

-- name: own
-- not here: the triggers keep their record otherwise

-- name: evasions
-- not here: DdlTest has this family's

-- name: bypasses
-- not here: ReplicationTest has this family's

-- name: leaks
-- not here: SessionStateTest has this family's

-- name: setting reads
-- not here: functions of users are not called on satellites

-- name: read session
SELECT 1;

-- name: session
SELECT @@sql_mode;
