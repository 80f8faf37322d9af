-- PostgreSQL's SQL for the conformance kit. How such a file is read: EngineSql.

-- name: type of texts
text;

-- name: own indexes
SELECT count(*) FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid WHERE starts_with(c.relname, 'multimed_own_') AND x.indisvalid;

-- name: stored views
SELECT count(*) FROM pg_class WHERE starts_with(relname, 'multimed_mv_');

-- name: unusual views
CREATE COLLATION vc_any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE vc_narrow (id int PRIMARY KEY, c char(3), n numeric(4, 2));
CREATE TABLE vc_wide (id int PRIMARY KEY, c char(5), n numeric(10, 4), j jsonb, k text, y text COLLATE vc_any_case);
INSERT INTO vc_narrow VALUES (1, 'abc', 1);
INSERT INTO vc_wide VALUES (1, 'abc', 1, '{"k": 1}', 'a', 'a'), (2, 'x', 2, '{"k": 2}', 'b', 'b');
CREATE VIEW vc_u_text AS SELECT a.c, sum(b.id) AS s FROM vc_narrow a JOIN vc_wide b ON a.c = b.c GROUP BY a.c;
CREATE VIEW vc_u_number AS SELECT a.n, sum(b.id) AS s FROM vc_narrow a JOIN vc_wide b ON a.n = b.n GROUP BY a.n;
CREATE VIEW vc_u_names AS SELECT t.y AS o, sum(t.x) AS s FROM vc_line AS t (y, z, x) GROUP BY t.y;
CREATE VIEW vc_u_renamed AS SELECT t.item_id AS o, sum(t.id) AS s FROM vc_line AS t (item_id, id) GROUP BY t.item_id;
CREATE VIEW vc_u_element AS SELECT j['k'] AS x, sum(n) AS s FROM vc_wide GROUP BY j['k'];
CREATE VIEW vc_u_case AS SELECT i.subject, b.n FROM vc_item i JOIN vc_wide b ON i.subject = b.y WHERE b.y = b.k;
CREATE VIEW vc_u_found AS SELECT id AS found, n AS keys_0, k AS null_0 FROM vc_wide;

-- name: changes of unusual views
UPDATE vc_item SET subject = 'A' WHERE id = 1;
INSERT INTO vc_wide VALUES (3, 'abcde', 100000, '{"k": 1}', 'a', 'A');
UPDATE vc_wide SET n = n + 1;
UPDATE vc_line SET item_id = qty + 3, qty = qty + 1;
UPDATE vc_wide SET j = '{"k": 3}', c = 'abc' WHERE id > 1;
DELETE FROM vc_wide WHERE id = 1;

-- name: end of unusual views
DROP VIEW vc_u_text, vc_u_number, vc_u_names, vc_u_renamed, vc_u_element, vc_u_case, vc_u_found;
DROP TABLE vc_narrow, vc_wide;
DROP COLLATION vc_any_case;

-- name: names of unusual views
vc_u_text vc_u_number vc_u_names vc_u_renamed vc_u_element vc_u_case vc_u_found;

-- name: paused appliers
SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep(%';

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
