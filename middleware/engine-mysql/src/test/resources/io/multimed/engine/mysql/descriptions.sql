-- Statements of DescriptionTest: what happens if the engine runs one, or a part of one, is in the table paid.

-- name: setup
CREATE TABLE paid (n int);
CREATE TABLE thing (id int AUTO_INCREMENT PRIMARY KEY, v varchar(20) NOT NULL, w int);
INSERT INTO thing (v) VALUES ('a');
CREATE TABLE other (id int PRIMARY KEY, v varchar(20));
CREATE TABLE bill (id int AUTO_INCREMENT PRIMARY KEY, v int);
CREATE FUNCTION pay(x int) RETURNS int DETERMINISTIC MODIFIES SQL DATA BEGIN INSERT INTO paid VALUES (x); RETURN x; END;
CREATE FUNCTION pay_each(x int) RETURNS int NOT DETERMINISTIC MODIFIES SQL DATA BEGIN INSERT INTO paid VALUES (x); RETURN x; END;
CREATE FUNCTION take() RETURNS int DETERMINISTIC MODIFIES SQL DATA BEGIN SET @taken = 5; RETURN GET_LOCK('taken', 0); END;
CREATE VIEW paying AS SELECT ROUND(1.25, pay(1)) AS r;
CREATE VIEW taking AS SELECT ROUND(1.25, take()) AS r;
CREATE PROCEDURE pays(x int) BEGIN INSERT INTO paid VALUES (x); SELECT x AS c; END;
DELETE FROM paid;

-- name: paying
-- The first one pays once per execution; others may pay more often.
SELECT pay(5);
SELECT pay_each(5) AS p, id, v FROM thing;
SELECT id, v FROM thing WHERE id = pay(1);

-- name: described
-- Nothing of them runs when they are described.
SELECT pay(5);
SELECT pay(?);
SELECT ROUND(1.25, pay(1));
SELECT * FROM thing WHERE (id, v) IN ((pay(1), 'a'), (2, 'b'));
SELECT INTERVAL(3, pay(1), pay(2));
SELECT 'a' LIKE 'b' ESCAPE pay(3);
SELECT id FROM thing WHERE v = ? AND id = pay(?) FOR UPDATE;
SELECT * FROM paying;
SELECT r, ? FROM paying;
EXPLAIN SELECT * FROM paying;
CALL pays(3);
CALL pays(?);
{call pays(?)};
{? = call pay(?)};
{? = call pay(5)};
DO pay(5);
INSERT INTO paid VALUES (pay(?));
UPDATE thing SET w = pay(3);

-- name: stateful
-- Statement | question | the answer of a client that has left the session as it was.
SELECT GET_LOCK('held', 0) | SELECT IS_FREE_LOCK('held') | 1;
SELECT 1 IN (GET_LOCK('held', 0), 2) | SELECT IS_FREE_LOCK('held') | 1;
SELECT @held := 5 | SELECT COALESCE(@held, 'none') | none;
SELECT REPEAT('a', @held := 3) | SELECT COALESCE(@held, 'none') | none;
SELECT * FROM taking | SELECT IS_FREE_LOCK('taken') | 1;
SELECT * FROM taking | SELECT COALESCE(@taken, 'none') | none;
SELECT REPEAT('a', take()) | SELECT IS_FREE_LOCK('taken') | 1;
SET SESSION sql_mode = 'ANSI_QUOTES' | SELECT @@SESSION.sql_mode LIKE '%ANSI_QUOTES%' | 0;
USE mysql | SELECT DATABASE() | shop;

-- name: refused
SELECT * FROM multimed.sealed;
SELECT v FROM thing, multimed.captured;
LOCK TABLES thing WRITE;
KILL 1;

-- name: columns
-- Statement | label, type, table and column of each column of the description, before the execution.
SELECT id, v AS label, w + 1 AS more FROM thing WHERE id = ? | id INT thing id, label VARCHAR thing v, more BIGINT  more;
SELECT t.v FROM thing t JOIN thing u ON u.id = t.id | v VARCHAR thing v;
SELECT count(*) AS n FROM thing | n BIGINT  n;
SELECT a.v, b.v FROM thing a JOIN other b ON b.id = a.id | v VARCHAR thing v, v VARCHAR other v;

-- name: keys
-- Statement that pays | its columns before the execution | the columns of its keys.
INSERT INTO bill (v) VALUES (pay_each(1)) |  | GENERATED_KEY BIGINT UNSIGNED  GENERATED_KEY;

-- name: sequence
-- not on mysql: there are no sequences
CREATE SEQUENCE moved;
SELECT NEXTVAL(moved);

-- name: temporary
CREATE TEMPORARY TABLE own (a int, b varchar(7));
SELECT a, b FROM own WHERE a = ?;
SELECT pay(a), b FROM own;

-- name: lock
-- The second statement waits for the transaction of the first one; no other session can describe the table meanwhile.
SELECT v FROM thing FOR UPDATE;
ALTER TABLE thing FORCE;

-- name: waiting
SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'Waiting for table metadata lock';

-- name: rights
CREATE TABLE item (id int PRIMARY KEY, v varchar(20));
CREATE TABLE secret (id int PRIMARY KEY, v varchar(20));
GRANT SELECT ON item TO clerk;

-- name: denied
-- fails: 42000
SELECT v FROM secret WHERE id = ?;
-- fails: 42000
SELECT i.v, s.v FROM item i, secret s;

-- name: own catalog
SELECT GROUP_CONCAT(TABLE_NAME) FROM information_schema.TABLES;
