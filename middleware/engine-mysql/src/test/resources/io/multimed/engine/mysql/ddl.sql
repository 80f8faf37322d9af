-- DdlTest: what MariaDB and MySQL say in their own way. How such a file is read: EngineSql.

-- Words. %1$s and so on are what a scenario puts there.

-- name: key that counts
INT AUTO_INCREMENT;

-- name: random number
RAND();

-- name: uuid by default
CHAR(36) DEFAULT (UUID());

-- name: name
`A ä`;

-- name: schema
shop;

-- name: error of a table that is not there
42S02;

-- name: error of a transaction that reads a table as it was not when it began
Table definition has changed, please retry transaction;

-- name: statement that ends the session of the applier
SELECT CONCAT('KILL ', IS_USED_LOCK('multimed_applier'));

-- name: returning
-- not here: an UPDATE returns no rows

-- name: delete one row
DELETE FROM %1$s LIMIT 1;

-- name: change a type
ALTER TABLE %1$s MODIFY %2$s %3$s;

-- name: rename an index
ALTER TABLE %1$s RENAME INDEX %2$s TO %3$s;

-- name: drop an index
DROP INDEX %2$s ON %1$s;

-- name: rename a view
RENAME TABLE %1$s TO %2$s;

-- name: exchange names
RENAME TABLE %1$s TO between_both, %2$s TO %1$s, between_both TO %2$s;

-- name: stable function
CREATE FUNCTION %1$s() RETURNS INT DETERMINISTIC READS SQL DATA RETURN %2$s;

-- name: replace by a volatile function
DROP FUNCTION luck;
CREATE FUNCTION luck() RETURNS INT NOT DETERMINISTIC NO SQL RETURN 8;

-- name: comment on a table
ALTER TABLE %1$s COMMENT = '%2$s';

-- name: tables with a comment
SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'shop' AND TABLE_COMMENT = '%1$s' ORDER BY 1;

-- What the engine, or Multimed on it, can do.

-- name: new columns have volatile defaults
-- not on mysql: the engine refuses them, as unsafe for its own replicas

-- name: a rollback undoes DDL
-- not here: DDL commits what was done before it, and itself

-- name: DDL among several statements in one text
-- not here: DDL commits, so Multimed must see each statement

-- name: cascades are captured
-- not here: rows that the engine changes for a foreign key fire no triggers

-- name: DDL past the middleware is refused
-- not here: DDL fires nothing

-- name: satellites run functions
-- not here: the engine does not check what a function is said to do

-- name: satellites alter their own copies
-- not here: but for indexes, satellites get an altered table anew

-- Passages.

-- name: statements that clean
SELECT CONCAT('DROP TABLE ', GROUP_CONCAT('`', TABLE_NAME, '`')) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'shop' AND TABLE_TYPE = 'BASE TABLE' AND TABLE_NAME <> 'always_there' HAVING COUNT(*) > 0;
SELECT CONCAT('DROP VIEW ', GROUP_CONCAT('`', TABLE_NAME, '`')) FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'shop' HAVING COUNT(*) > 0;
SELECT CONCAT('DROP ', ROUTINE_TYPE, ' `', ROUTINE_NAME, '`') FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = 'shop';
SELECT 'CREATE TABLE always_there (id INT)' FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'shop' AND TABLE_NAME = 'always_there' HAVING COUNT(*) = 0;

-- name: catalog
-- The master and the satellites answer the same. Where a table has no key, satellites have an index more.
SELECT CONCAT_WS(' ', TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, NON_UNIQUE, INDEX_TYPE, SUB_PART, COLLATION, INDEX_COMMENT) FROM information_schema.STATISTICS
    WHERE TABLE_SCHEMA = 'shop' AND INDEX_NAME <> 'multimed_print';
SELECT CONCAT_WS(' ', c.TABLE_NAME, c.COLUMN_NAME, c.ORDINAL_POSITION, c.COLUMN_TYPE, c.COLLATION_NAME)
    FROM information_schema.COLUMNS c JOIN information_schema.VIEWS v ON v.TABLE_SCHEMA = c.TABLE_SCHEMA AND v.TABLE_NAME = c.TABLE_NAME WHERE c.TABLE_SCHEMA = 'shop';
SELECT CONCAT_WS(' ', TABLE_NAME, PARTITION_NAME, PARTITION_METHOD, PARTITION_EXPRESSION, PARTITION_DESCRIPTION) FROM information_schema.PARTITIONS
    WHERE TABLE_SCHEMA = 'shop' AND PARTITION_NAME IS NOT NULL;

-- name: leave home
USE information_schema;

-- name: changes of a table
CREATE TABLE altered (id INT PRIMARY KEY, a VARCHAR(10), b INT);
INSERT INTO altered VALUES (1, 'one', 1), (2, 'two', 2);
ALTER TABLE altered ADD COLUMN c TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6), ADD COLUMN d INT NOT NULL DEFAULT 7 AFTER id;
INSERT INTO altered (id, a) VALUES (3, 'three');
ALTER TABLE altered MODIFY a VARCHAR(30) CHARACTER SET latin1 NOT NULL, DROP COLUMN b;
UPDATE altered SET a = 'ä' WHERE id = 1;
ALTER TABLE altered CHANGE COLUMN c e DATETIME(6);
ALTER TABLE altered DROP PRIMARY KEY;
INSERT INTO altered (id, a) VALUES (3, 'again');
DELETE FROM altered WHERE id = 3 LIMIT 1;
ALTER TABLE altered ADD COLUMN k INT AUTO_INCREMENT PRIMARY KEY FIRST;
UPDATE altered SET d = d + 1;

-- name: end of the table
CREATE INDEX altered_d ON altered (d);
INSERT INTO altered (id, a) VALUES (4, 'four');
DROP INDEX altered_d ON altered;
ALTER TABLE altered RENAME TO altered_more;
UPDATE altered_more SET d = 0;

-- name: computed columns
-- of vague (id, v, n, r, u, t, g)
ALTER TABLE vague ADD COLUMN w DOUBLE AS (n / 3) VIRTUAL, ADD COLUMN y YEAR DEFAULT (YEAR(CURRENT_DATE));
ALTER TABLE vague MODIFY t TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6);
INSERT INTO vague (v) VALUES ('later');
UPDATE vague SET v = CONCAT(v, '+') WHERE id > 3;
ALTER TABLE vague MODIFY g INT;
UPDATE vague SET g = 1 WHERE id = 3;
ALTER TABLE vague MODIFY v VARCHAR(80) CHARACTER SET latin1, MODIFY r DECIMAL(12, 6);

-- name: conversions by the time zone
SET time_zone = '+09:00';
ALTER TABLE vague ADD COLUMN z DATETIME DEFAULT '2020-01-01 10:00';
ALTER TABLE vague MODIFY z TIMESTAMP NULL;
SET time_zone = '+00:00';
ALTER TABLE vague MODIFY z DATETIME;

-- name: types
CREATE TABLE typed (id INT PRIMARY KEY, m ENUM('sad', 'glad'), s SET('a', 'b'), j JSON, d DECIMAL(5, 2), b BIT(3));
INSERT INTO typed VALUES (1, 'sad', 'a,b', '{"a": 1}', 1.5, b'101');
ALTER TABLE typed MODIFY m ENUM('sad', 'so so', 'glad');
INSERT INTO typed (id, m) VALUES (2, 'so so');
ALTER TABLE typed MODIFY s SET('b', 'c', 'a');
UPDATE typed SET s = 'c,a' WHERE id = 2;
ALTER TABLE typed MODIFY d DECIMAL(10, 4), MODIFY b BIT(8), MODIFY j LONGTEXT;
ALTER TABLE typed MODIFY id BIGINT UNSIGNED;
UPDATE typed SET id = 18446744073709551615 WHERE id = 1;
ALTER TABLE typed ADD COLUMN m2 ENUM('happy', 'angry') DEFAULT 'happy';
ALTER TABLE typed CONVERT TO CHARACTER SET latin1;
CREATE VIEW so_so AS SELECT id FROM typed WHERE m = 'so so';

-- name: end of the types
DROP VIEW so_so;
DROP TABLE typed;

-- name: partitions
CREATE TABLE logged (id INT, at DATE NOT NULL, v VARCHAR(20), PRIMARY KEY (id, at))
    PARTITION BY RANGE (YEAR(at)) (PARTITION p1 VALUES LESS THAN (2021), PARTITION p2 VALUES LESS THAN (2022));
INSERT INTO logged VALUES (1, '2020-05-05', 'a'), (2, '2021-05-05', 'b');
ALTER TABLE logged ADD PARTITION (PARTITION p_rest VALUES LESS THAN MAXVALUE);
INSERT INTO logged VALUES (3, '2030-01-01', 'c');
ALTER TABLE logged ADD COLUMN w INT DEFAULT 4, ALGORITHM = COPY;
CREATE INDEX logged_v ON logged (v);
UPDATE logged SET at = '2021-06-06' WHERE id = 1;
ALTER TABLE logged RENAME COLUMN w TO ww;
CREATE TABLE logged_2 LIKE logged;
ALTER TABLE logged_2 REMOVE PARTITIONING;
ALTER TABLE logged EXCHANGE PARTITION p2 WITH TABLE logged_2;
INSERT INTO logged_2 VALUES (9, '2021-01-01', 'z', 1);
ALTER TABLE logged_2 ADD COLUMN own INT;
ALTER TABLE logged REORGANIZE PARTITION p1, p2 INTO (PARTITION p12 VALUES LESS THAN (2022));
ALTER TABLE logged DROP PARTITION p_rest;

-- name: parts
-- of ids below 10, below 20, and the rest
CREATE TABLE parts (id INT PRIMARY KEY, a INT)
    PARTITION BY RANGE (id) (PARTITION p1 VALUES LESS THAN (10), PARTITION p2 VALUES LESS THAN (20), PARTITION p3 VALUES LESS THAN MAXVALUE);

-- name: empty the second part
ALTER TABLE parts TRUNCATE PARTITION p2;

-- name: drop the first part
ALTER TABLE parts DROP PARTITION p1;

-- name: tables made of queries
CREATE TABLE filled AS SELECT id, UUID() AS u FROM source;
UPDATE filled SET id = id + 10;
CREATE TABLE more_of_it (extra INT DEFAULT 5) SELECT id FROM source;
CREATE TABLE wholly_alike LIKE source;

-- name: routines
CREATE TABLE hidden (id INT PRIMARY KEY, v TEXT);
-- refused: a procedure that commits
CREATE PROCEDURE committing() COMMIT;
-- refused: a procedure that commits
CREATE PROCEDURE growing() ALTER TABLE hidden ADD COLUMN w INT;
-- refused: a procedure that commits
CREATE PROCEDURE emptying() BEGIN DELETE FROM hidden; TRUNCATE TABLE hidden; END;
CREATE PROCEDURE plain() INSERT INTO hidden VALUES (1, 'a'), (2, 'b');
CALL plain();

-- name: changes of indexes
CREATE INDEX by_b ON indexed (b(10), a DESC);
CREATE UNIQUE INDEX `by ``"id` ON indexed (a, id) COMMENT 'two, of them';
ALTER TABLE indexed ADD KEY by_d (d), ADD FULLTEXT INDEX in_c (c), DROP INDEX first_one;
ALTER TABLE indexed RENAME INDEX by_d TO by_double, COMMENT = 'a, comment', ALTER a SET DEFAULT 7;
ALTER TABLE `indexed_keyless` ADD INDEX (a), ADD INDEX by_both (b, a);
DROP INDEX by_both ON indexed_keyless;
CREATE INDEX by_a ON parts (a);

-- name: drop the index of parts
ALTER TABLE parts DROP KEY by_a;

-- name: a column and an index
ALTER TABLE parts ADD COLUMN b INT DEFAULT 5, ADD INDEX by_b (b);

-- name: drop the unique index
DROP INDEX `by ``"id` ON indexed;

-- name: upkeep
CREATE INDEX wide_v ON wide (v);
OPTIMIZE TABLE wide;
ANALYZE TABLE wide;
CHECK TABLE wide;
ALTER TABLE wide ENGINE = InnoDB;

-- name: refused to all
DROP TRIGGER multimed_1_insert;
CREATE TRIGGER multimed_x BEFORE INSERT ON guarded FOR EACH ROW SET NEW.id = 1;
DROP FUNCTION multimed.refuse_direct_write;
DROP DATABASE multimed;
CREATE TABLE multimed.mine (a INT);
ALTER TABLE multimed.captured ENGINE = MyISAM;
DELETE FROM multimed.sealed;
SET @multimed_transaction = 0;
CALL multimed.admit(1);

-- name: refused past the middleware
INSERT INTO guarded VALUES (2);
UPDATE guarded SET id = 3;
DELETE FROM guarded;

-- name: left to everybody
-- DDL fires nothing: MySqlRecoveryTest shows what becomes of it.
ANALYZE TABLE guarded;

-- name: seeded
-- seeded_view has f = 4 twice
CREATE TABLE seeded (id INT AUTO_INCREMENT PRIMARY KEY, k ENUM('a', 'b'), n INT DEFAULT 1, g INT GENERATED ALWAYS AS (n * 2) STORED);
CREATE INDEX seeded_g ON seeded (g);
CREATE VIEW seeded_view AS SELECT id, g * 2 AS f FROM seeded;
CREATE TABLE seeded_parts (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 2;
INSERT INTO seeded (k) VALUES ('a'), ('b');
CREATE TABLE seeded_keyless AS SELECT * FROM seeded;
INSERT INTO seeded_keyless SELECT * FROM seeded;
INSERT INTO seeded_parts VALUES (1), (2), (3), (4), (5);

-- What another engine has.

-- name: row level security
-- not here: the engine has none

-- name: indexes over functions
-- not here: neither engine takes users' functions in indexes

-- name: inheritance
-- not here: the engine has none

-- name: outside of transactions
-- not here: DDL is never in a transaction

-- name: materialized views
-- not here: the engine has none

-- name: triggers switched off
-- not here: triggers cannot be switched off

-- name: DDL that is told afterwards
-- not here: all DDL is; MySqlRecoveryTest breaks it off

-- Statements of concurrent clients (RandomDdl), with the name of a table, of another or the same table, and a number.
-- The names of the sections state the effect on rows.

-- name: random: create, keeps rows
CREATE TABLE %1$s (id INT PRIMARY KEY, n INT);
CREATE TABLE %1$s (id INT PRIMARY KEY, n INT, w INT DEFAULT %3$s);
CREATE TABLE IF NOT EXISTS %1$s (id INT PRIMARY KEY, n INT);

-- name: random: create as, both
CREATE TABLE %1$s AS SELECT id, n FROM %2$s;
CREATE TABLE %1$s LIKE %2$s;

-- name: random: wipes
DROP TABLE %1$s;
TRUNCATE TABLE %1$s;

-- name: random: columns, keeps rows
ALTER TABLE %1$s ADD COLUMN w INT DEFAULT %3$s;
ALTER TABLE %1$s ADD COLUMN w INT;
ALTER TABLE %1$s DROP COLUMN w;
ALTER TABLE %1$s RENAME COLUMN w TO x;
ALTER TABLE %1$s RENAME COLUMN x TO w;
ALTER TABLE %1$s DROP COLUMN x;
ALTER TABLE %1$s MODIFY n BIGINT;
ALTER TABLE %1$s MODIFY n INT;

-- name: random: more columns, keeps rows
ALTER TABLE %1$s ADD COLUMN w INT DEFAULT %3$s;
ALTER TABLE %1$s DROP COLUMN w;

-- name: random: create again, keeps rows
CREATE TABLE %1$s (id INT PRIMARY KEY, n INT);

-- name: random: rename, both
ALTER TABLE %1$s RENAME TO %2$s;
RENAME TABLE %1$s TO r_between, %2$s TO %1$s, r_between TO %2$s;

-- name: random: truncate, wipes
TRUNCATE TABLE %1$s;

-- name: random: indexes, keeps rows
CREATE INDEX r_%1$s ON %1$s (n);
DROP INDEX r_%1$s ON %1$s;
CREATE INDEX r_more_%1$s ON %1$s (n, id);

-- name: DDL in a transaction
-- not here: DDL commits by itself

-- name: random: views, keeps rows
CREATE OR REPLACE VIEW rv AS SELECT id, n FROM %1$s;
CREATE OR REPLACE VIEW rv AS SELECT id, n + %3$s AS n FROM %1$s;
CREATE OR REPLACE VIEW rv AS SELECT a.id, b.n FROM %1$s a JOIN %2$s b ON a.id = b.id;
DROP VIEW rv;
