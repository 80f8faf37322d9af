-- Reads of tables and what else shows their rows, for FreshnessTest. In each section but the first two, the first
-- statement is a change, and the others are queries of one value whose result it changes. The sections at the end are
-- for FreshHistoryTest.

-- name: schema
CREATE TABLE brake (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO brake VALUES (1, 0);
CREATE TABLE other (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO other VALUES (1, 0);
CREATE VIEW other_view AS SELECT n FROM other;
CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO a VALUES (1, 0);
CREATE TABLE `Mixed ``and`` "Quoted"` (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO `Mixed ``and`` "Quoted"` VALUES (1, 0);
CREATE TABLE ünlaut (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO ünlaut VALUES (1, 0);
CREATE TABLE 1st (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO 1st VALUES (1, 0);
CREATE VIEW view_of_view AS SELECT n FROM other;
CREATE VIEW a_view AS SELECT n FROM a;
CREATE OR REPLACE VIEW view_of_view AS SELECT v.n FROM a_view v CROSS JOIN other;
CREATE VIEW view_with_subquery AS SELECT o.n + (SELECT max(n) FROM a) AS n FROM other o;
CREATE VIEW view_with_letters AS SELECT n AS ö FROM a;
CREATE VIEW view_of_letters AS SELECT ö AS n FROM view_with_letters;
CREATE TABLE parted (id int PRIMARY KEY, n int NOT NULL) PARTITION BY RANGE (id) (PARTITION low VALUES LESS THAN (10), PARTITION high VALUES LESS THAN (20));
INSERT INTO parted VALUES (1, 0), (11, 0);
CREATE TABLE audited (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO audited VALUES (1, 0);
CREATE TABLE audit (n int);
CREATE TRIGGER write_audit AFTER UPDATE ON audited FOR EACH ROW INSERT INTO audit VALUES (NEW.n);
CREATE VIEW updatable AS SELECT id, n FROM a;
CREATE TABLE emptied (id int PRIMARY KEY);
INSERT INTO emptied VALUES (1);
CREATE TABLE many (id int PRIMARY KEY, t text);
CREATE TABLE computed (id int PRIMARY KEY, n int NOT NULL, twice int GENERATED ALWAYS AS (n * 2) STORED);
INSERT INTO computed (id, n) VALUES (1, 0);
CREATE TABLE old_name (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO old_name VALUES (1, 0);
CREATE TABLE swapped (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO swapped VALUES (1, 7);
CREATE FUNCTION reads_a() RETURNS int READS SQL DATA RETURN (SELECT max(n) FROM a);
CREATE VIEW view_of_function AS SELECT reads_a() AS n;

-- name: independent
-- Queries that the other sections do not concern.
SELECT n FROM other;
SELECT n FROM shop.`other` AS o WHERE id = 1;
SELECT n FROM other_view;
SELECT 0;

-- name: table
UPDATE a SET n = n + 1;
SELECT n FROM a;
SELECT n FROM shop . `a`;
SELECT o.n + (SELECT max(n) FROM a) FROM other o;
SELECT o.n + CASE WHEN EXISTS (SELECT 1 FROM a WHERE a.n % 2 = 1) THEN 1 ELSE 0 END FROM other o;
WITH a AS (SELECT n FROM a) SELECT n FROM a;
SELECT y.n FROM (WITH other AS (SELECT n FROM a) SELECT n FROM other) y;
SELECT (WITH a AS (SELECT 1) SELECT count(*) FROM a) + a.n FROM a;
SELECT n FROM other UNION SELECT n FROM a ORDER BY n DESC LIMIT 1;
SELECT CONCAT('"', n, '"') FROM a;
SELECT CONCAT("a", n) FROM a;

-- name: names with quotes
UPDATE `Mixed ``and`` "Quoted"` SET n = n + 1;
SELECT n FROM `Mixed ``and`` "Quoted"`;

-- name: names with letters beyond ASCII
UPDATE ünlaut SET n = n + 1;
SELECT n FROM ünlaut;
SELECT n FROM `ünlaut`;

-- name: names that begin with digits
UPDATE 1st SET n = n + 1;
SELECT n FROM 1st;
SELECT n FROM shop.1st;

-- name: views
UPDATE a SET n = n + 1;
SELECT n FROM a_view;
SELECT n FROM view_of_view;
SELECT n FROM view_with_subquery;
SELECT n FROM view_of_letters;
SELECT n FROM updatable;

-- name: change through a view
UPDATE updatable SET n = n + 1;
SELECT n FROM a;

-- name: partitions
UPDATE parted SET n = n + 1 WHERE id = 1;
SELECT sum(n) FROM parted;
SELECT n FROM parted PARTITION (low);

-- name: functions
UPDATE a SET n = n + 1;
SELECT reads_a();
SELECT n FROM view_of_function;

-- name: triggers
UPDATE audited SET n = n + 1;
SELECT count(*) FROM audit;

-- name: truncation
TRUNCATE emptied;
SELECT count(*) FROM emptied;

-- name: large change
INSERT INTO many WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 500) SELECT n, REPEAT('x', 100) FROM i;
SELECT count(*) FROM many;

-- name: generated column
UPDATE computed SET n = n + 1;
SELECT twice FROM computed;

-- name: replaced view
CREATE OR REPLACE VIEW other_view AS SELECT n + 5 AS n FROM a;
SELECT n FROM other_view;

-- name: renamed table
RENAME TABLE old_name TO new_name;
SELECT count(*) FROM new_name;

-- name: exchanged names
RENAME TABLE swapped TO between_names, new_name TO swapped, between_names TO new_name;
SELECT n FROM swapped;

-- name: after the exchange
UPDATE swapped SET n = n + 100;
SELECT n FROM swapped;

-- name: operator
-- not here: users define no operators

-- name: exchange
RENAME TABLE %1$s TO between_names, %2$s TO %1$s, between_names TO %2$s;

-- name: readers of t2
CREATE VIEW view_of_t2 AS SELECT n FROM t2;
CREATE VIEW view_of_view_of_t2 AS SELECT n FROM view_of_t2;

-- name: reads of t2
SELECT n FROM view_of_t2;
SELECT n FROM view_of_view_of_t2;
