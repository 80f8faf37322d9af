-- Statements for DivergenceTest that could make satellites of MariaDB and MySQL differ from their master.

-- name: setup
CREATE TABLE log (id int AUTO_INCREMENT PRIMARY KEY, v int);
CREATE TABLE item (id int PRIMARY KEY, x int);
INSERT INTO item VALUES (1, 1);
CREATE FUNCTION f() RETURNS int DETERMINISTIC MODIFIES SQL DATA BEGIN INSERT INTO log (v) VALUES (1); RETURN 1; END;
CREATE VIEW calling AS SELECT f() AS one;

CREATE PROCEDURE renews() BEGIN DECLARE password, flush int DEFAULT 1; SELECT flush INTO password; UPDATE item SET x = password; END;

-- name: reads
SELECT one FROM calling;
WITH f AS (SELECT 1) SELECT f();
SELECT f();

-- name: erasures
SET CHARACTER SET utf8mb4;
SAVEPOINT a;

-- name: own
SELECT * FROM multimed.sealed FOR UPDATE;
SELECT COUNT(*) FROM `multimed` . session LOCK IN SHARE MODE;
(SELECT scn FROM multimed.base);
TABLE multimed.captured;
SET pseudo_thread_id = 1;
SET @@session.pseudo_thread_id = 1;
SET insert_id = 9223372036854775806;
SET SESSION `insert_id` = 3, sql_mode = '';
UPDATE /*+ SET_VAR(insert_id = 5) */ item SET x = 9;
INSERT /*+ NO_ICP(item) set_var ( `insert_id`= 5) */ INTO item VALUES (7, 7);
SELECT /*+ SET_VAR(sql_auto_is_null = 1) */ * FROM log WHERE id IS NULL;
CREATE PROCEDURE zeroes() UPDATE /*+ SET_VAR(insert_id = 5) */ item SET x = 9;
CREATE TEMPORARY TABLE hinted SELECT /*+ SET_VAR(default_tmp_storage_engine = 'MEMORY') */ 1 x;
SET GLOBAL default_tmp_storage_engine = 'MEMORY';
SET character_set_client = 28;
SET character_set_results = utf16;
SET sql_mode = '', SESSION character_set_results = 'ucs2';
BACKUP STAGE START;
BACKUP LOCK item;
CALL sys.execute_prepared_stmt('ALTER TABLE item ADD COLUMN y int DEFAULT 5');
CALL `sys`.`execute_prepared_stmt`('COMMIT');
{call sys.execute_prepared_stmt('COMMIT')};
CREATE PROCEDURE commits() CALL sys.execute_prepared_stmt('COMMIT');
CREATE PROCEDURE commits() BEGIN UPDATE item SET x = 9; EXECUTE IMMEDIATE 'COMMIT'; END;
CREATE PROCEDURE commits() BEGIN UPDATE item SET x = 9; ANALYZE TABLE item; END;
CREATE PROCEDURE commits() BEGIN UPDATE item SET x = 9; OPTIMIZE NO_WRITE_TO_BINLOG TABLE item; END;
CREATE PROCEDURE commits() BEGIN UPDATE item SET x = 9; FLUSH PRIVILEGES; END;
CREATE PROCEDURE commits() BEGIN UPDATE item SET x = 9; GRANT SELECT ON shop.* TO somebody; END;
CREATE PROCEDURE commits() BEGIN UPDATE item SET x = 9; SET PASSWORD FOR somebody = ''; END;
CREATE PROCEDURE commits() BEGIN UPDATE item SET x = 9; SET PASSWORD = ''; END;
CREATE PROCEDURE commits() BEGIN UPDATE item SET x = 9; CREATE ROLE r; END;
CREATE PROCEDURE commits() BEGIN UPDATE item SET x = 9; CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST 'x'); END;
CREATE PROCEDURE commits() BEGIN UPDATE item SET x = 9; INSTALL PLUGIN p SONAME 'p'; END;
CREATE PROCEDURE commits() BEGIN UPDATE item SET x = 9; RESET MASTER; END;
CREATE PROCEDURE commits() SHUTDOWN;
CREATE PROCEDURE commits() KILL 1;
CREATE PACKAGE BODY commits AS PROCEDURE p IS BEGIN UPDATE item SET x = 9; COMMIT; END; END;
ALTER TABLE item EXCHANGE PARTITION p WITH TABLE log WITHOUT VALIDATION;

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
