-- The family's SQL for the conformance kit. How such a file is read: EngineSql.

-- name: type of texts
LONGTEXT;

-- name: own indexes
SELECT COUNT(DISTINCT INDEX_NAME, TABLE_NAME) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND LEFT(INDEX_NAME, 13) = 'multimed_own_';

-- name: stored views
SELECT COUNT(*) FROM information_schema.TABLES WHERE LEFT(TABLE_NAME, 12) = 'multimed_mv_';

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
