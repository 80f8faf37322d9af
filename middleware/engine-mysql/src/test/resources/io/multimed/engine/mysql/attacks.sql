-- Statements by which a client with few rights could take satellites away from all others. Some are refused.

-- name: setup
CREATE TABLE item (id INT PRIMARY KEY, v VARCHAR(100));
INSERT INTO item VALUES (1, 'v1'), (2, 'v2'), (3, 'v3');
GRANT ALL ON shop.* TO maker;

-- name: maintenance of a temporary table
CREATE TEMPORARY TABLE x (a INT);
ANALYZE TABLE x;
OPTIMIZE TABLE x;
CHECK TABLE x;
ALTER TABLE x ADD b INT;
TRUNCATE TABLE x;
DROP TEMPORARY TABLE x;

-- name: ANALYZE of a temporary table that hides another one
CREATE TEMPORARY TABLE item (a INT);
ANALYZE TABLE item;

-- name: ALTER of a temporary table that hides another one
CREATE TEMPORARY TABLE item (a INT);
ALTER TABLE item ADD b INT;

-- name: indexes of a temporary table that hides another one
CREATE TEMPORARY TABLE item (a INT);
CREATE INDEX i ON item (a);
DROP INDEX i ON item;

-- name: TRUNCATE of a temporary table that hides another one
CREATE TEMPORARY TABLE item (a INT);
TRUNCATE TABLE item;

-- name: OPTIMIZE of a temporary table that hides another one
CREATE TEMPORARY TABLE item (a INT);
OPTIMIZE TABLE item;

-- name: DROP of a temporary table that hides another one
CREATE TEMPORARY TABLE item (a INT);
DROP TABLE item;

-- name: DROP TEMPORARY TABLE
CREATE TEMPORARY TABLE item (a INT);
DROP TEMPORARY TABLE item;

-- name: new names of a temporary table that hides another one
CREATE TEMPORARY TABLE item (a INT);
ALTER TABLE item RENAME TO itemx;
ALTER TABLE itemx RENAME TO itemy;

-- name: a copy of a temporary table that hides another one
CREATE TEMPORARY TABLE item (a INT);
CREATE TABLE copied LIKE item;
DROP TABLE copied;

-- name: maintenance
ANALYZE TABLE item;
OPTIMIZE TABLE item;
REPAIR TABLE item;
CHECK TABLE item;
CHECKSUM TABLE item;

-- name: maintenance with options
ANALYZE LOCAL TABLE item;
ANALYZE TABLE item PERSISTENT FOR ALL;
ANALYZE TABLE item UPDATE HISTOGRAM ON v WITH 10 BUCKETS;
ANALYZE TABLE item UPDATE HISTOGRAM ON nothing;
ANALYZE TABLE item DROP HISTOGRAM ON v;
OPTIMIZE NO_WRITE_TO_BINLOG TABLE item, nothing;
CHECK TABLE item EXTENDED;
ALTER TABLE item FORCE;
ALTER TABLE item ENGINE = InnoDB;
ALTER TABLE item ORDER BY v;

-- name: maintenance of a view
CREATE VIEW looked AS SELECT id FROM item;
ANALYZE TABLE looked;
OPTIMIZE TABLE looked;
CHECK TABLE looked;
REPAIR VIEW looked;
DROP VIEW looked;

-- name: maintenance of temporary, missing and permanent tables
CREATE TEMPORARY TABLE tm (a INT);
ANALYZE TABLE tm, item, nothing;
OPTIMIZE TABLE nothing, tm, item;
CHECK TABLE item, tm, nothing;
REPAIR TABLE tm, item;
FLUSH TABLES item;
ALTER TABLE tm ENGINE = MyISAM;
REPAIR TABLE tm;
OPTIMIZE TABLE tm;

-- name: maintenance of missing tables
ANALYZE TABLE nothing;
OPTIMIZE TABLE nothing;

-- name: maintenance of the catalog
ANALYZE TABLE mysql.user;
ANALYZE TABLE information_schema.TABLES;

-- name: options of tables
CREATE TABLE c1 (a INT PRIMARY KEY) COMMENT 'it''s';
ALTER TABLE c1 COMMENT 'x;--';
ALTER TABLE c1 ROW_FORMAT=COMPRESSED;
ALTER TABLE c1 AUTO_INCREMENT=7;
ALTER TABLE c1 ENGINE=InnoDB;
ALTER TABLE c1 FORCE;
DROP TABLE c1;

-- name: names with quotes and comments
CREATE TABLE `odd `` name;--` (`a b` INT PRIMARY KEY, `c'd` TEXT);
INSERT INTO `odd `` name;--` VALUES (1, 'x');
ANALYZE TABLE `odd `` name;--`;
DROP TABLE `odd `` name;--`;

-- name: generated columns
CREATE TABLE g1 (a INT PRIMARY KEY, b INT AS (a / 1) STORED, c INT AS (1 / a) VIRTUAL, KEY (c));
INSERT INTO g1 (a) VALUES (1);
DROP TABLE g1;

-- name: check constraints
CREATE TABLE k1 (a INT PRIMARY KEY, CHECK (a > 0));
INSERT INTO k1 VALUES (1);
ALTER TABLE k1 ADD CONSTRAINT c2 CHECK (a < 10);
DROP TABLE k1;

-- name: a full-text index
CREATE TABLE big (a INT PRIMARY KEY, t LONGTEXT);
INSERT INTO big VALUES (1, REPEAT('x', 5000000));
CREATE FULLTEXT INDEX f ON big (t);
DROP TABLE big;

-- name: foreign keys
CREATE TABLE fk1 (a INT PRIMARY KEY);
CREATE TABLE fk2 (a INT PRIMARY KEY, b INT, FOREIGN KEY (b) REFERENCES fk1 (a));
INSERT INTO fk1 VALUES (1);
INSERT INTO fk2 VALUES (1, 1);
DROP TABLE fk2;
DROP TABLE fk1;

-- name: a foreign key without its table
SET foreign_key_checks = 0;
CREATE TABLE fk3 (a INT PRIMARY KEY, b INT, FOREIGN KEY (b) REFERENCES missing (a));
INSERT INTO fk3 VALUES (1, 9);
DROP TABLE fk3;

-- name: keys without checks
SET unique_checks = 0;
CREATE TABLE u1 (a INT PRIMARY KEY, b INT UNIQUE);
INSERT INTO u1 VALUES (1, 1), (2, 2);
UPDATE u1 SET b = b + 10;
DROP TABLE u1;

-- name: views
CREATE VIEW w1 AS SELECT id, 1 / id AS b FROM item;
ALTER VIEW w1 AS SELECT id FROM item;
DROP VIEW w1;

-- name: a view of a table that is renamed
CREATE VIEW w2 AS SELECT * FROM item;
RENAME TABLE item TO item2;
RENAME TABLE item2 TO item;
DROP VIEW w2;

-- name: partitions
CREATE TABLE p1 (a INT PRIMARY KEY) PARTITION BY RANGE (a) (PARTITION x VALUES LESS THAN (10));
INSERT INTO p1 VALUES (1);
ALTER TABLE p1 ADD PARTITION (PARTITION y VALUES LESS THAN (20));
ALTER TABLE p1 TRUNCATE PARTITION x;
ALTER TABLE p1 DROP PARTITION x;
ANALYZE TABLE p1;
DROP TABLE p1;

-- name: other storage engines
CREATE TABLE m1 (a INT) ENGINE=MyISAM;
CREATE TABLE m2 (a INT) ENGINE=MEMORY;
DROP TABLE IF EXISTS m1, m2;

-- name: character sets
CREATE TABLE s1 (a INT PRIMARY KEY) CHARACTER SET latin1 COLLATE latin1_german1_ci;
INSERT INTO s1 VALUES (1);
ALTER TABLE s1 CONVERT TO CHARACTER SET utf8mb4;
DROP TABLE s1;

-- name: quotes of ANSI
SET sql_mode = 'ANSI_QUOTES';
CREATE TABLE "q1" (a INT PRIMARY KEY DEFAULT 3);
ANALYZE TABLE "q1";
DROP TABLE "q1";

-- name: values that are not strict
SET sql_mode = '';
CREATE TABLE z1 (a DATE PRIMARY KEY, b INT NOT NULL DEFAULT '7');
CREATE TABLE z2 (a DATE PRIMARY KEY);
INSERT INTO z2 VALUES ('0000-00-00');
ALTER TABLE z2 ADD KEY (a);
DROP TABLE IF EXISTS z1, z2;

-- name: enum types
CREATE TABLE e1 (a ENUM('a','b') PRIMARY KEY);
INSERT INTO e1 VALUES ('b');
ALTER TABLE e1 MODIFY a ENUM('a','b','c');
DROP TABLE e1;

-- name: rows without a key
CREATE TABLE n1 (a INT);
INSERT INTO n1 VALUES (1), (1), (2);
DELETE FROM n1 LIMIT 1;
ALTER TABLE n1 ADD PRIMARY KEY (a);
TRUNCATE n1;
DROP TABLE n1;

-- name: long keys
CREATE TABLE lk (a VARCHAR(700) PRIMARY KEY, b VARCHAR(3000), KEY (b(700)));
INSERT INTO lk VALUES ('x', 'y');
DROP TABLE lk;

-- name: geometries
CREATE TABLE x1 (a INT PRIMARY KEY, b GEOMETRY NOT NULL, SPATIAL KEY (b));
INSERT INTO x1 VALUES (1, ST_GeomFromText('POINT(1 1)'));
DROP TABLE x1;

-- name: a function
CREATE FUNCTION f1(a INT) RETURNS INT DETERMINISTIC RETURN 1 / a;
DROP FUNCTION f1;

-- name: comments around a statement
/* a */ CREATE TABLE t40 (a INT PRIMARY KEY) /* c */;
DROP TABLE t40 /* d */;

-- name: indexes and options
ALTER TABLE item ADD KEY k1 (v(10));
ALTER TABLE item DROP KEY k1;
ALTER TABLE item STATS_PERSISTENT=1;
ALTER TABLE item KEY_BLOCK_SIZE=8;

-- name: tables that replace others
CREATE OR REPLACE TABLE rep (a INT PRIMARY KEY);
CREATE OR REPLACE TABLE rep (b INT PRIMARY KEY);
DROP TABLE rep;

-- name: a sequence
CREATE SEQUENCE sq;
ANALYZE TABLE sq;
SELECT NEXTVAL(sq);
DROP SEQUENCE sq;

-- name: a table with versions
CREATE TABLE wsp (a INT PRIMARY KEY) WITH SYSTEM VERSIONING;
DROP TABLE IF EXISTS wsp;

-- name: a temporary table in a transaction
BEGIN;
CREATE TEMPORARY TABLE bt (a INT);
INSERT INTO bt VALUES (1);
ANALYZE TABLE bt;
COMMIT;

-- name: a table that a temporary one hides
CREATE TEMPORARY TABLE t1 (a INT);
CREATE TABLE t1 (id INT PRIMARY KEY, b INT);
INSERT INTO t1 VALUES (7);
CREATE INDEX i ON t1 (a);
DROP TEMPORARY TABLE t1;
INSERT INTO t1 VALUES (1, 2);
DROP TABLE t1;

-- name: new names of a table that a temporary one hides
CREATE TEMPORARY TABLE item (a INT);
RENAME TABLE item TO item2;
RENAME TABLE item2 TO item;

-- name: DROP of a temporary table and another one
CREATE TABLE t2 (a INT PRIMARY KEY);
CREATE TEMPORARY TABLE item (a INT);
DROP TABLE item, t2;

-- name: a view that a temporary table hides
CREATE TEMPORARY TABLE t3 (a INT);
CREATE VIEW t3 AS SELECT id FROM item;
DROP VIEW t3;

-- name: a name that a temporary table of another database has
CREATE TEMPORARY TABLE mysql.item (a INT);
ALTER TABLE mysql.item ADD b INT;
TRUNCATE TABLE mysql.item;
