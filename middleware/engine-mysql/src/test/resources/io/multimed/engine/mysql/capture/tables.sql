-- For CaptureTest: tables, keys and names of every kind. EngineSql reads this file. The table "series" contains the
-- numbers from 1 to 1000.

-- name: keys that change at once
-- A key is checked row by row: so the order matters.
CREATE TABLE swapped (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(20));
INSERT INTO swapped SELECT i, i, CONCAT('v', i) FROM series WHERE i <= 100;
UPDATE swapped SET id = id + 1, u = u + 1 ORDER BY id DESC;
UPDATE swapped SET id = id + 1000 ORDER BY id DESC;
BEGIN;
UPDATE swapped SET id = id - 1001 ORDER BY id;
UPDATE swapped SET u = -u;
UPDATE swapped SET u = 101 + u;
INSERT INTO swapped SELECT i + 100, i + 100, 'again' FROM series WHERE i <= 50;
DELETE FROM swapped WHERE id % 7 = 0;
COMMIT;

-- name: keys of more rows than any buffer holds
CREATE TABLE shifted (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(60));
INSERT INTO shifted SELECT (a.i - 1) * 6 + b.i, (a.i - 1) * 6 + b.i, CONCAT('some text that makes it longer ', a.i) FROM series a JOIN series b ON b.i <= 6;
UPDATE shifted SET id = id + 1, u = u + 7 ORDER BY id DESC;
UPDATE shifted SET id = 12003 - id;
CREATE TABLE shifted_by_row (id INT PRIMARY KEY, u INT UNIQUE);
INSERT INTO shifted_by_row SELECT id - 6001, u FROM shifted;
UPDATE shifted_by_row SET id = -id, u = -u;

-- name: keys with a collation
CREATE TABLE collated (k VARCHAR(20) COLLATE utf8mb4_general_ci PRIMARY KEY, v INT);

-- name: names
CREATE TABLE `odd ``name` (`a b` INT, `se``lect` VARCHAR(10), `100%` INT, PRIMARY KEY (`a b`));
CREATE TABLE `'%s\` (`'` INT PRIMARY KEY, `\` VARCHAR(10));
CREATE TABLE `用户` (`名` VARCHAR(20) PRIMARY KEY, `é, (x)` INT);
CREATE TABLE `T` (`T` VARCHAR(20) PRIMARY KEY);
CREATE TABLE t (t VARCHAR(10), x INT, old INT, new INT, `line` INT);
INSERT INTO `odd ``name` VALUES (1, 'one', 1), (2, 'two', 2);
UPDATE `odd ``name` SET `se``lect` = 'three', `a b` = `a b` + 10, `100%` = 3 WHERE `a b` > 1;
INSERT INTO `'%s\` VALUES (1, '\\');
UPDATE `'%s\` SET `\` = '''\\';
INSERT INTO `用户` VALUES ('一', 1);
UPDATE `用户` SET `é, (x)` = 2;
INSERT INTO `T` VALUES ('a'), ('b');
UPDATE `T` SET `T` = CONCAT(`T`, 'x');
INSERT INTO t VALUES ('a', 1, 2, 3, 4), ('a', 1, 2, 3, 4), ('b', 1, 2, 3, 4);
DELETE FROM t WHERE t = 'a' LIMIT 1;
UPDATE t SET t = 'c' WHERE t = 'b';

-- name: equal rows
CREATE TABLE keyless (a INT, b VARCHAR(20), f FLOAT, ts TIMESTAMP NULL, j JSON, g POINT);
INSERT INTO keyless (a, b, f, ts) VALUES (1, 'a', 0.1, '2020-01-01'), (1, 'a', 0.1, '2020-01-01'), (1, 'A', 0.1, '2020-01-01'),
    (NULL, NULL, NULL, NULL), (NULL, NULL, NULL, NULL);
INSERT INTO keyless SELECT i % 3, 'many', 0.5, '2021-01-01', '{"a": 1}', ST_GeomFromText('POINT(1 2)') FROM series WHERE i <= 30;
DELETE FROM keyless WHERE a IS NULL LIMIT 1;
UPDATE keyless SET b = 'changed' WHERE a = 1 AND b COLLATE utf8mb4_bin = 'a' LIMIT 1;
UPDATE keyless SET j = '[]' WHERE a = 2 AND b = 'many' LIMIT 1;
UPDATE keyless SET g = ST_GeomFromText('POINT(3 4)') WHERE a = 0;
UPDATE keyless SET a = a;
INSERT INTO keyless SELECT * FROM keyless;
DELETE FROM keyless WHERE b = 'changed' LIMIT 1;

-- name: many equal rows
CREATE TABLE many_equal (a INT, b TEXT);
INSERT INTO many_equal SELECT a.i % 200, 'x' FROM series a JOIN series b ON b.i <= 6;
DELETE FROM many_equal LIMIT 1500;
UPDATE many_equal SET a = a + 1 LIMIT 700;

-- name: no columns
-- not here: a table has one column at least

-- name: partitions
CREATE TABLE parted (id INT, region INT, v VARCHAR(10), PRIMARY KEY (id, region)) PARTITION BY LIST (region) (PARTITION p1 VALUES IN (1, 2), PARTITION p2 VALUES IN (3));
INSERT INTO parted VALUES (1, 1, 'a'), (2, 3, 'b');
UPDATE parted SET region = 3 WHERE id = 1;
CREATE TABLE measured (id INT, day DATE, v VARCHAR(10), PRIMARY KEY (id, day)) PARTITION BY RANGE COLUMNS (day) (
    PARTITION p1 VALUES LESS THAN ('2024-07-01'), PARTITION p2 VALUES LESS THAN ('2025-01-01'), PARTITION p3 VALUES LESS THAN (MAXVALUE));
INSERT INTO measured SELECT i, DATE_ADD('2024-01-01', INTERVAL i * 3 DAY), 'v' FROM series WHERE i <= 100;
UPDATE measured SET day = DATE_ADD(day, INTERVAL 180 DAY) WHERE id BETWEEN 20 AND 30;
UPDATE measured SET id = id + 1000, v = 'moved' WHERE id < 5;
DELETE FROM measured PARTITION (p2) WHERE id % 2 = 0;
INSERT INTO measured PARTITION (p3) VALUES (8, '2025-03-01', 'routed');
CREATE TABLE measured_bag (k INT, v VARCHAR(10)) PARTITION BY RANGE (k) SUBPARTITION BY HASH (k) SUBPARTITIONS 2 (
    PARTITION p1 VALUES LESS THAN (3), PARTITION p2 VALUES LESS THAN MAXVALUE);
INSERT INTO measured_bag SELECT i % 5, 'x' FROM series WHERE i <= 50;
UPDATE measured_bag SET k = k + 1 WHERE k = 2;

-- name: emptied partitions
ALTER TABLE measured TRUNCATE PARTITION p2;
INSERT INTO measured VALUES (2, '2024-08-01', 'after');
TRUNCATE TABLE parted;
INSERT INTO parted VALUES (2, 3, 'after');

-- name: inheritance
-- not here: tables do not inherit

-- name: tables that do without a log
-- refused: its storage engine is MEMORY
CREATE TABLE in_memory (id INT PRIMARY KEY) ENGINE = MEMORY;
-- refused: its storage engine is MyISAM
CREATE TABLE without_transactions (id INT PRIMARY KEY) ENGINE = MyISAM;
DROP TABLE in_memory, without_transactions;

-- name: values that the master computes
CREATE TABLE computed (id INT AUTO_INCREMENT PRIMARY KEY, a INT, twice INT AS (a * 2) VIRTUAL, text_of VARCHAR(20) AS (CONCAT('#', a)) STORED, r DOUBLE DEFAULT (RAND()),
    c TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), u CHAR(36) DEFAULT (UUID()), v VARCHAR(10) DEFAULT 'd', KEY (twice));
INSERT INTO computed (id, a) VALUES (1, 5), (2, NULL);
INSERT INTO computed (a) SELECT i FROM series WHERE i <= 100;
INSERT INTO computed (id, a) VALUES (1000, 5), (0, 6), (NULL, 7);
UPDATE computed SET a = 6 WHERE id = 1;
UPDATE computed SET a = a + 1, r = DEFAULT WHERE id % 2 = 0;
UPDATE computed SET u = UUID(), r = RAND() WHERE id % 3 = 0;

-- name: sequences
-- not on mysql: it has no sequences
CREATE SEQUENCE counter START 10 INCREMENT 5;
CREATE TABLE counted (id BIGINT DEFAULT (NEXT VALUE FOR counter) PRIMARY KEY, v VARCHAR(10));
INSERT INTO counted (v) VALUES ('a'), ('b');
INSERT INTO counted VALUES (NEXTVAL(counter), 'c');
ALTER SEQUENCE counter RESTART 1000;
INSERT INTO counted (v) VALUES ('d');
