-- The family's SQL for the conformance kit. How such a file is read: EngineSql.

-- name: type of texts
LONGTEXT;

-- name: own indexes
SELECT COUNT(DISTINCT INDEX_NAME, TABLE_NAME) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND LEFT(INDEX_NAME, 13) = 'multimed_own_';

-- name: stored views
SELECT COUNT(*) FROM information_schema.TABLES WHERE LEFT(TABLE_NAME, 12) = 'multimed_mv_';

-- name: unusual views
CREATE TABLE vc_day (id INT PRIMARY KEY, d DATE NOT NULL, s VARCHAR(10));
CREATE TABLE vc_more (id INT PRIMARY KEY, d DATE, k VARCHAR(20), y INT, n INT);
SET SESSION sql_mode = '';
INSERT INTO vc_day VALUES (1, '0000-00-00', CONCAT('a', CHAR(92), 'b')), (2, '2020-01-01', 'b'), (10, '2020-01-02', 'c');
INSERT INTO vc_more VALUES (1, '0000-00-00', '5.0', 5, 1), (2, '2020-01-01', '6', 6, 3), (3, NULL, NULL, NULL, 0);
UPDATE vc_item SET subject = '5' WHERE id = 1;
SET SESSION collation_connection = utf8mb4_bin;
CREATE VIEW vc_u_case AS SELECT id, s FROM vc_day WHERE HEX(id) = 'a';
SET SESSION collation_connection = DEFAULT;
SET SESSION sql_mode = DEFAULT;
CREATE VIEW vc_u_text AS SELECT id, s FROM vc_day WHERE s = 'a\\b';
CREATE VIEW vc_u_group AS SELECT COUNT(*) AS n FROM vc_day a GROUP BY (SELECT b.n FROM vc_more b WHERE b.id = a.id);
CREATE VIEW vc_u_concat AS SELECT GROUP_CONCAT(a.id ORDER BY (SELECT b.n FROM vc_more b WHERE b.id = a.id)) AS ids FROM vc_day a;
CREATE VIEW vc_u_order AS SELECT id FROM vc_day a ORDER BY (SELECT b.n FROM vc_more b WHERE b.id = a.id) LIMIT 1;
CREATE VIEW vc_u_day AS SELECT a.d, b.n FROM vc_day a JOIN vc_more b ON a.d = b.d;
CREATE VIEW vc_u_number AS SELECT i.subject, b.n FROM vc_item i JOIN vc_more b ON i.subject = b.y WHERE b.y = b.k;
CREATE VIEW vc_u_quotient AS SELECT id, y / 3 AS third FROM vc_more;
CREATE VIEW vc_u_deviation AS SELECT STDDEV(id) AS d FROM vc_day;
CREATE VIEW vc_u_twice AS SELECT d * 2 AS twice FROM vc_u_deviation;
CREATE VIEW vc_u_one AS SELECT id, third * 3 AS one FROM vc_u_quotient;
CREATE TABLE vc_doc (id INT PRIMARY KEY, j JSON, t TEXT);
INSERT INTO vc_doc VALUES (1, '["a"]', 'b');
CREATE VIEW vc_u_document AS SELECT id, j, COALESCE(j, j) AS o FROM vc_doc;
CREATE VIEW vc_u_of_document AS SELECT id, JSON_OBJECT('j', j, 'o', o) AS both_of_them FROM vc_u_document;

-- name: changes of unusual views
UPDATE vc_doc SET j = '[]';
UPDATE vc_more SET n = 4 - n;
UPDATE vc_day SET s = CONCAT(s, '');
UPDATE vc_day SET s = CONCAT('a', CHAR(92), 'b') WHERE id > 1;
UPDATE vc_more SET n = n + 1 WHERE id = 3;
UPDATE vc_more SET n = n + 1;

-- name: end of unusual views
DROP VIEW vc_u_one;
DROP VIEW vc_u_twice;
DROP VIEW vc_u_deviation;
DROP VIEW vc_u_quotient;
DROP VIEW vc_u_case;
DROP VIEW vc_u_text;
DROP VIEW vc_u_group;
DROP VIEW vc_u_concat;
DROP VIEW vc_u_order;
DROP VIEW vc_u_day;
DROP VIEW vc_u_number;
DROP VIEW vc_u_of_document;
DROP VIEW vc_u_document;
DROP TABLE vc_doc;
DROP TABLE vc_day;
DROP TABLE vc_more;

-- name: names of unusual views
vc_u_case vc_u_text vc_u_group vc_u_concat vc_u_order vc_u_day vc_u_number vc_u_quotient vc_u_one vc_u_deviation vc_u_twice vc_u_document vc_u_of_document;

-- name: paused appliers
SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP(%';

-- name: own indexes in detail
SELECT COALESCE(GROUP_CONCAT(found.columns ORDER BY found.columns), '') FROM (SELECT CONCAT(TABLE_NAME, '(', GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX), ')') AS columns FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND LEFT(INDEX_NAME, 13) = 'multimed_own_' GROUP BY TABLE_NAME, INDEX_NAME) AS found;

-- name: identities of own indexes
SELECT COALESCE(GROUP_CONCAT(INDEX_ID ORDER BY INDEX_ID), '') FROM information_schema./*M!100000 INNODB_SYS_INDEXES *//*!80000 INNODB_INDEXES */ WHERE LEFT(NAME, 13) = 'multimed_own_';

-- name: classified as PURE_READ
SELECT * FROM series WHERE i = 5;
SELECT COUNT(*), MAX(a.i) FROM series AS a JOIN series AS b USING (i) WHERE a.i > 5 GROUP BY a.i ORDER BY 1 LIMIT 3;

-- name: classified as QUERY
SELECT RAND();

-- name: classified as CATALOG
SHOW TABLES;

-- name: classified as MASTER
INSERT INTO series VALUES (5000);
UPDATE series SET i = 5 WHERE i = 6;
DELETE FROM series;
SELECT * FROM series FOR UPDATE;

-- name: classified as NON_TRANSACTIONAL
CREATE TABLE t (id INT);
TRUNCATE TABLE series;

-- name: classified as BEGIN
BEGIN;
START TRANSACTION READ ONLY;

-- name: classified as COMMIT
COMMIT;

-- name: classified as ROLLBACK
ROLLBACK;

-- name: classified as SESSION_STATE
SET @mine = 5;

-- name: classified as AUTOCOMMIT_OFF
SET autocommit = 0;

-- name: classified as REFUSED
XA START 'a';

-- name: ends of transactions
COMMIT;
/* a comment */ COMMIT AND CHAIN;
ROLLBACK;
/*!50701 COMMIT */;
CREATE TABLE t (id INT);
BEGIN NOT ATOMIC COMMIT; END;
XA START 'a';

-- name: a function that changes the table account
CREATE FUNCTION changing() RETURNS INT NOT DETERMINISTIC MODIFIES SQL DATA BEGIN UPDATE account SET n = n + 1; RETURN 1; END;

-- name: TCP or socket
-- Returns how this session is connected.
SELECT CASE WHEN host LIKE '%:%' THEN 'TCP' ELSE 'socket' END FROM information_schema.processlist WHERE id = CONNECTION_ID();
