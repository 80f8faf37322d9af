-- PostgreSQL's SQL for the conformance kit. How such a file is read: EngineSql.

-- name: type of texts
text;

-- name: own indexes
SELECT count(*) FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid WHERE starts_with(c.relname, 'multimed_own_') AND x.indisvalid;

-- name: stored views
SELECT count(*) FROM pg_class WHERE starts_with(relname, 'multimed_mv_');

-- name: own indexes in detail
SELECT coalesce(string_agg(t.relname || '(' || (SELECT string_agg(a.attname, ',' ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = c.oid) || ')', ',' ORDER BY t.relname), '') FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid WHERE starts_with(c.relname, 'multimed_own_');

-- name: identities of own indexes
SELECT coalesce(string_agg(c.relfilenode::text, ',' ORDER BY c.oid), '') FROM pg_class c WHERE starts_with(c.relname, 'multimed_own_');

-- name: classified as PURE_READ
SELECT * FROM series WHERE i = 5;
SELECT count(*), max(i) FROM series AS a JOIN series AS b USING (i) WHERE a.i > 5 GROUP BY a.i ORDER BY 1 LIMIT 3;
WITH few AS (SELECT i FROM series WHERE i < 5) SELECT upper(i::text) FROM few;

-- name: classified as QUERY
SELECT random();

-- name: classified as CATALOG
SELECT relname FROM pg_catalog.pg_class;

-- name: classified as MASTER
INSERT INTO series VALUES (5000);
UPDATE series SET i = 5 WHERE i = 6;
DELETE FROM series;
CREATE TABLE t (id int);
TRUNCATE series;
SELECT * FROM series FOR UPDATE;
WITH gone AS (DELETE FROM series RETURNING i) SELECT * FROM gone;

-- name: classified as NON_TRANSACTIONAL
VACUUM series;
CREATE INDEX CONCURRENTLY later ON series (i);

-- name: classified as BEGIN
BEGIN;
START TRANSACTION ISOLATION LEVEL SERIALIZABLE;

-- name: classified as COMMIT
COMMIT;
END;

-- name: classified as ROLLBACK
ROLLBACK;
ABORT;

-- name: classified as SESSION_STATE
SET statement_timeout = '7s';
PREPARE one AS SELECT 1;

-- name: classified as DISCARD_ALL
DISCARD ALL;

-- name: ends of transactions
COMMIT;
/* a comment */ COMMIT AND CHAIN;
ROLLBACK;
END WORK;
ABORT;
PREPARE TRANSACTION 'x';

-- name: a function that changes the table account
CREATE FUNCTION changing() RETURNS int LANGUAGE sql VOLATILE AS 'UPDATE account SET n = n + 1; SELECT 1';

-- name: TCP or socket
-- Returns how this session is connected.
SELECT CASE WHEN client_port < 0 THEN 'socket' ELSE 'TCP' END FROM pg_stat_activity WHERE pid = pg_backend_pid();
