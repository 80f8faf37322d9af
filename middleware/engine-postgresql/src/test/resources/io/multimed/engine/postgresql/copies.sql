-- How tests read the tables that they compare: see Copies.

-- name: settings
SET timezone = 'UTC';
SET lc_monetary = 'C';

-- name: mark
-- Seeding removes all schemas that the master does not have.
CREATE SCHEMA IF NOT EXISTS not_seeded;

-- name: marks
SELECT nspname FROM pg_namespace WHERE nspname = 'not_seeded';

-- name: tables
-- Name, columns, a query of a digest, a query of all rows.
SELECT c.oid::regclass::text,
    (SELECT coalesce(string_agg(format('%s %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum), '')
        FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped),
    format('SELECT count(*) || '' '' || md5(string_agg(digest, '''' ORDER BY digest)) FROM (SELECT md5((t.*)::text) AS digest FROM ONLY %s AS t) AS digests', c.oid::regclass),
    format('SELECT (t.*)::text COLLATE "C" FROM ONLY %s AS t ORDER BY 1', c.oid::regclass)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'multimed', 'not_seeded')
    ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C";
