-- DdlTest: what PostgreSQL says in its own way. How such a file is read: EngineSql.

-- Words. %1$s and so on are what a scenario puts there.

-- name: key that counts
serial;

-- name: random number
random();

-- name: uuid by default
uuid DEFAULT gen_random_uuid();

-- name: name
"A ä";

-- name: schema
public;

-- name: error of a table that is not there
42P01;

-- name: error of a transaction that reads a table as it was not when it began
-- not here: satellites alter their copies, and the transaction reads on

-- name: statement that ends the session of the applier
SELECT format('SELECT pg_terminate_backend(%s)', max(pid)) FROM pg_stat_activity WHERE application_name = 'multimed applier';

-- name: returning
RETURNING *;

-- name: delete one row
DELETE FROM %1$s WHERE ctid = (SELECT min(ctid) FROM %1$s);

-- name: change a type
ALTER TABLE %1$s ALTER COLUMN %2$s TYPE %3$s;

-- name: rename an index
ALTER INDEX %2$s RENAME TO %3$s;

-- name: drop an index
DROP INDEX %2$s;

-- name: rename a view
ALTER VIEW %1$s RENAME TO %2$s;

-- name: exchange names
ALTER TABLE %1$s RENAME TO between_both; ALTER TABLE %2$s RENAME TO %1$s; ALTER TABLE between_both RENAME TO %2$s;

-- name: stable function
CREATE FUNCTION %1$s() RETURNS int LANGUAGE sql STABLE AS 'SELECT %2$s';

-- name: replace by a volatile function
CREATE OR REPLACE FUNCTION luck() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 8';

-- name: comment on a table
COMMENT ON TABLE %1$s IS '%2$s';

-- name: tables with a comment
SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND obj_description(oid, 'pg_class') = '%1$s' ORDER BY 1;

-- What the engine, or Multimed on it, can do.

-- name: new columns have volatile defaults

-- name: a rollback undoes DDL

-- name: DDL among several statements in one text

-- name: cascades are captured

-- name: DDL past the middleware is refused

-- name: satellites run functions

-- name: satellites alter their own copies

-- Passages.

-- name: statements that clean
VALUES ('DROP SCHEMA IF EXISTS public, elsewhere, "Else Where" CASCADE'), ('CREATE SCHEMA public'), ('CREATE TABLE always_there (id int)');

-- name: catalog
-- The master and the satellites answer the same.
SELECT format('%s.%s %s %s', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull)
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'c')
    AND n.nspname NOT IN ('multimed', 'information_schema') AND n.nspname NOT LIKE 'pg\_%' ORDER BY a.attrelid::regclass::text, a.attnum;
SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind <> 'm' AND n.nspname <> 'multimed' AND n.nspname NOT LIKE 'pg\_%' ORDER BY 1;
SELECT format('%s %s %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) FROM pg_constraint k JOIN pg_namespace n ON n.oid = k.connamespace
    WHERE k.contype IN ('p', 'u', 'x') AND n.nspname <> 'multimed' AND n.nspname NOT LIKE 'pg\_%' ORDER BY 1;
SELECT format('%s under %s', inhrelid::regclass, inhparent::regclass) FROM pg_inherits
    WHERE inhparent::regclass::text NOT LIKE '%idx' AND inhparent::regclass::text NOT LIKE '%key' ORDER BY 1;
SELECT format('%s %s', enumtypid::regtype, enumlabel) FROM pg_enum ORDER BY enumtypid::regtype::text, enumsortorder;
SELECT pg_get_functiondef(p.oid) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE p.prorettype <> 'trigger'::regtype AND n.nspname NOT IN ('multimed', 'information_schema') AND n.nspname NOT LIKE 'pg\_%' ORDER BY 1;

-- name: leave home
CREATE SCHEMA elsewhere;
SET search_path = elsewhere;

-- name: changes of a table
CREATE TABLE moved (id int PRIMARY KEY, a text DEFAULT 'x' NOT NULL, b varchar(5) UNIQUE, CHECK (id > 0));
INSERT INTO moved VALUES (1, 'one', 'b1'), (2, 'two', 'b2');
ALTER TABLE moved ADD COLUMN c numeric(10,2) DEFAULT 1.5 NOT NULL, ADD COLUMN d int;
ALTER TABLE moved ALTER COLUMN b TYPE varchar(20), ALTER COLUMN a DROP NOT NULL, ALTER COLUMN c DROP DEFAULT;
ALTER TABLE moved RENAME COLUMN a TO "A ä";
UPDATE moved SET "A ä" = NULL, b = 'longer than five' WHERE id = 1;
ALTER TABLE moved ALTER COLUMN b TYPE int USING length(b);
ALTER TABLE moved DROP COLUMN d, ADD COLUMN d date;
CREATE INDEX moved_d ON moved (d) WHERE id > 1;
CREATE UNIQUE INDEX ON moved (lower("A ä"));
ALTER INDEX moved_d RENAME TO moved_of_d;
ALTER TABLE moved ALTER COLUMN id TYPE bigint;
ALTER TABLE moved DROP CONSTRAINT moved_b_key;
ALTER TABLE moved DROP CONSTRAINT moved_id_check;
ALTER TABLE moved RENAME CONSTRAINT moved_pkey TO the_key;
ALTER TABLE moved RENAME TO "Renamed";
CREATE SCHEMA elsewhere;
ALTER TABLE "Renamed" SET SCHEMA elsewhere;
INSERT INTO elsewhere."Renamed" VALUES (3, 'x', 7, 2, '2020-02-02');
DROP INDEX elsewhere.moved_of_d;
ALTER SCHEMA elsewhere RENAME TO "Else Where";
INSERT INTO "Else Where"."Renamed" VALUES (4, 'y', 8, 2, NULL);
ALTER TABLE "Else Where"."Renamed" ALTER COLUMN c SET NOT NULL;
COMMENT ON TABLE "Else Where"."Renamed" IS 'remark';

-- name: end of the table
DROP TABLE "Else Where"."Renamed";
DROP SCHEMA "Else Where";

-- name: computed columns
-- of vague (id, v, n, r, u, t, g)
ALTER TABLE vague ADD COLUMN tz timestamptz DEFAULT now();
ALTER TABLE vague ADD COLUMN s bigserial;
ALTER TABLE vague ADD COLUMN i int GENERATED ALWAYS AS IDENTITY;
ALTER TABLE vague ADD COLUMN arr text[] DEFAULT '{"a,b",NULL}';
ALTER TABLE vague ALTER COLUMN v TYPE text USING v || random();
INSERT INTO vague (v) VALUES ('later');
ALTER TABLE vague ALTER COLUMN g DROP EXPRESSION;
ALTER TABLE vague ALTER COLUMN i DROP IDENTITY;
UPDATE vague SET g = 1, i = 2 WHERE id = 3;

-- name: conversions by the time zone
SET timezone = 'Asia/Tokyo';
ALTER TABLE vague ADD COLUMN z timestamp DEFAULT '2020-01-01 10:00';
ALTER TABLE vague ALTER COLUMN z TYPE timestamptz;
SET timezone = 'UTC';
ALTER TABLE vague ALTER COLUMN z TYPE timestamp;

-- name: types
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE DOMAIN amount AS numeric(12,2) CHECK (VALUE >= 0);
CREATE TYPE pair AS (a int, b text);
CREATE TYPE span AS RANGE (subtype = float8);
CREATE TABLE typed (id int PRIMARY KEY, m mood, p pair, a amount, s span, ms mood[]);
INSERT INTO typed VALUES (1, 'sad', (1, 'x'), 5, '[1,2)', '{sad,glad}');
ALTER TYPE mood ADD VALUE 'so so' BEFORE 'glad';
INSERT INTO typed VALUES (2, 'so so', NULL, NULL, NULL, NULL);
ALTER TYPE mood RENAME VALUE 'glad' TO 'happy';
ALTER TYPE mood ADD VALUE 'angry' BEFORE 'sad';
INSERT INTO typed VALUES (3, 'happy', NULL, NULL, NULL, '{angry}');
ALTER TYPE pair ADD ATTRIBUTE c date;
UPDATE typed SET p = (2, 'y', '2020-01-01');
ALTER TYPE pair RENAME ATTRIBUTE a TO aa;
ALTER TYPE mood RENAME TO feeling;
ALTER DOMAIN amount RENAME TO price;
ALTER DOMAIN price ADD CONSTRAINT small CHECK (VALUE < 1000);
ALTER TYPE pair RENAME TO twin;
ALTER TABLE typed ADD COLUMN m2 feeling DEFAULT 'happy';
CREATE VIEW so_so AS SELECT (p).aa AS id FROM typed WHERE m = 'so so';

-- name: end of the types
DROP VIEW so_so;
DROP TABLE typed;
DROP TYPE feeling, twin, span;
DROP DOMAIN price;

-- name: partitions
CREATE TABLE logged (id int, at date NOT NULL, v text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE logged_1 PARTITION OF logged FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE logged_2 (id int NOT NULL, at date NOT NULL, v text);
ALTER TABLE logged ATTACH PARTITION logged_2 FOR VALUES FROM ('2021-01-01') TO ('2022-01-01');
CREATE TABLE logged_rest PARTITION OF logged DEFAULT;
INSERT INTO logged VALUES (1, '2020-05-05', 'a'), (2, '2021-05-05', 'b'), (3, '2030-01-01', 'c');
ALTER TABLE logged ADD COLUMN w int DEFAULT 4;
CREATE INDEX logged_v ON logged (v);
ALTER TABLE logged ALTER COLUMN v TYPE varchar(10) USING v || random()::text::varchar(3);
UPDATE logged SET at = '2021-06-06' WHERE id = 1;
ALTER TABLE logged RENAME COLUMN w TO ww;
ALTER TABLE logged DETACH PARTITION logged_2;
INSERT INTO logged_2 VALUES (9, '2021-01-01', 'z', 1);
ALTER TABLE logged_2 ADD COLUMN own int;
DROP TABLE logged_rest;

-- name: parts
-- of ids below 10, below 20, and the rest
CREATE TABLE parts (id int PRIMARY KEY, a int) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (10);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (10) TO (20);
CREATE TABLE parts_3 PARTITION OF parts FOR VALUES FROM (20) TO (MAXVALUE);

-- name: empty the second part
TRUNCATE parts_2;

-- name: drop the first part
DROP TABLE parts_1;

-- name: tables made of queries
SELECT id INTO picked FROM source WHERE r < 0.5;
CREATE TABLE empty_copy AS SELECT * FROM source WITH NO DATA;
CREATE TABLE wholly_alike (LIKE source INCLUDING ALL);

-- name: routines
DO $$ BEGIN
        CREATE TABLE hidden (id int PRIMARY KEY, v text);
        FOR i IN 1..3 LOOP
            EXECUTE format('CREATE TABLE hidden_%s (id int)', i);
            EXECUTE format('INSERT INTO hidden_%s VALUES (%s)', i, i);
        END LOOP;
        INSERT INTO hidden VALUES (1, 'a'), (2, 'b');
        ALTER TABLE hidden ADD COLUMN w float8 DEFAULT random();
        CREATE INDEX ON hidden (w);
        DROP TABLE hidden_2;
    END $$;
CREATE FUNCTION grow() RETURNS int LANGUAGE plpgsql AS $$
    BEGIN
        ALTER TABLE hidden ADD COLUMN x int DEFAULT 3;
        UPDATE hidden SET x = 4;
        RETURN 1;
    END $$;
SELECT grow();
CREATE PROCEDURE shrink() LANGUAGE plpgsql AS $$ BEGIN ALTER TABLE hidden DROP COLUMN x; END $$;
CALL shrink();

-- name: changes of indexes
CREATE INDEX by_b ON indexed (left(b, 10), a DESC);
CREATE UNIQUE INDEX "by `""id" ON indexed (a, id);
CREATE INDEX by_d ON indexed (d);
CREATE INDEX in_c ON indexed USING gin (to_tsvector('simple', c));
DROP INDEX first_one;
ALTER INDEX by_d RENAME TO by_double;
ALTER TABLE indexed ALTER a SET DEFAULT 7;
CREATE INDEX ON indexed_keyless (a);
CREATE INDEX by_both ON indexed_keyless (b, a);
DROP INDEX by_both;
CREATE INDEX by_a ON parts (a);

-- name: drop the index of parts
DROP INDEX by_a;

-- name: a column and an index
ALTER TABLE parts ADD COLUMN b int DEFAULT 5;
CREATE INDEX by_b_too ON parts (b);

-- name: drop the unique index
DROP INDEX "by `""id";

-- name: upkeep
CREATE INDEX wide_v ON wide (v);
VACUUM wide;
REINDEX TABLE wide;
CLUSTER wide USING wide_v;
ANALYZE wide -- the text ends with a comment;

-- name: refused to all
DROP TRIGGER "!multimed_row" ON guarded;
DROP FUNCTION multimed.tell_all;
DROP SCHEMA multimed CASCADE;
CREATE TABLE multimed.mine (a int);
ALTER EVENT TRIGGER multimed_ddl DISABLE;
SET event_triggers = off;
SET session_replication_role = replica;
SELECT set_config('multimed.writeset', '', false);

-- name: refused past the middleware
INSERT INTO guarded VALUES (2);
UPDATE guarded SET id = 3;
DELETE FROM guarded;
TRUNCATE guarded;
ALTER TABLE guarded ADD COLUMN v int;
DROP TABLE guarded;
CREATE TABLE own AS SELECT 1 AS a;
DO $$ BEGIN CREATE INDEX ON guarded (id); END $$;

-- name: left to everybody
GRANT SELECT ON guarded TO PUBLIC;

-- name: seeded
-- seeded_view has f = 4 twice
CREATE TYPE seed_kind AS ENUM ('a', 'b');
CREATE TYPE seed_pair AS (k seed_kind, n int);
CREATE FUNCTION seed_f(x int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT x * 2';
CREATE TABLE seeded (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, k seed_kind, p seed_pair[], g int GENERATED ALWAYS AS (seed_f(1)) STORED);
CREATE INDEX ON seeded (seed_f(g));
CREATE VIEW seeded_view AS SELECT id, seed_f(g) AS f FROM seeded;
CREATE TABLE seeded_parts (id int PRIMARY KEY) PARTITION BY HASH (id);
CREATE TABLE seeded_part_0 PARTITION OF seeded_parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE seeded_part_1 PARTITION OF seeded_parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO seeded (k) VALUES ('a'), ('b');
INSERT INTO seeded_parts SELECT generate_series(1, 20);

-- What PostgreSQL alone has.

-- name: row level security
CREATE TABLE senior (id int PRIMARY KEY);
CREATE TABLE junior (id int, p int CONSTRAINT fk REFERENCES senior ON DELETE CASCADE);
INSERT INTO senior VALUES (1), (2);
INSERT INTO junior VALUES (1, 1), (2, 2);
ALTER TABLE junior ADD CONSTRAINT fk2 FOREIGN KEY (p) REFERENCES senior NOT VALID;
ALTER TABLE junior VALIDATE CONSTRAINT fk2;
ALTER TABLE junior DROP CONSTRAINT fk;
ALTER TABLE junior ADD PRIMARY KEY (id);
UPDATE junior SET p = 1;
ALTER TABLE junior OWNER TO CURRENT_USER;
ALTER TABLE junior ENABLE ROW LEVEL SECURITY;
DROP TABLE senior CASCADE;
INSERT INTO junior VALUES (3, 99);

-- name: no row level security
ALTER TABLE junior DISABLE ROW LEVEL SECURITY;

-- name: indexes over functions
CREATE TABLE base (id int PRIMARY KEY, v text);
INSERT INTO base VALUES (1, 'a'), (2, 'b');
CREATE FUNCTION plus(a int, b int DEFAULT 1) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT a + b';
CREATE INDEX ON base (plus(id));
CREATE VIEW grown AS SELECT id, plus(id) AS n FROM base;

-- name: another name for the function
ALTER FUNCTION plus(int, int) RENAME TO add_up;
CREATE SCHEMA elsewhere;
ALTER FUNCTION add_up(int, int) SET SCHEMA elsewhere;

-- name: end of the function
DROP TABLE base CASCADE;
DROP FUNCTION elsewhere.add_up;

-- name: inheritance
CREATE TABLE ancestor (id int, v text);
CREATE TABLE heir (extra int) INHERITS (ancestor);
INSERT INTO heir VALUES (1, 'x', 2);
INSERT INTO ancestor VALUES (2, 'y');
ALTER TABLE ancestor ADD COLUMN n int DEFAULT 8;
ALTER TABLE ancestor DROP COLUMN v;
ALTER TABLE heir NO INHERIT ancestor;

-- name: outside of transactions
CREATE INDEX CONCURRENTLY wide_v ON wide (v);

-- name: more outside of transactions
VACUUM wide;
REINDEX TABLE CONCURRENTLY wide;
DROP INDEX CONCURRENTLY wide_v;

-- name: materialized views
CREATE TABLE counted (id int);
INSERT INTO counted VALUES (1);
CREATE MATERIALIZED VIEW counts AS SELECT count(*) AS n FROM counted;
INSERT INTO counted VALUES (2);
REFRESH MATERIALIZED VIEW counts;

-- name: end of the materialized view
DROP MATERIALIZED VIEW counts;

-- name: triggers switched off
CREATE TABLE unguarded (id int PRIMARY KEY);
ALTER TABLE unguarded DISABLE TRIGGER ALL;
INSERT INTO unguarded VALUES (1);
ALTER TABLE unguarded ENABLE TRIGGER ALL;
INSERT INTO unguarded VALUES (2);

-- DDL that is recorded after the statement, in a separate transaction (DdlRecordedLater).

-- name: DDL that is told afterwards
CREATE INDEX CONCURRENTLY later_v ON later (v);

-- name: keep DDL from being told
LOCK TABLE multimed.told IN SHARE MODE;

-- name: DDL that is broken off
DROP INDEX CONCURRENTLY later_v;

-- name: break DDL off
LOCK TABLE multimed.told IN ACCESS EXCLUSIVE MODE;

-- name: session that tells DDL
SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ ' INDEX CONCURRENTLY|LOCK TABLE multimed.told|tell_all';

-- name: end the session that tells DDL
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND query ~ ' INDEX CONCURRENTLY|LOCK TABLE multimed.told|tell_all';

-- Statements of concurrent clients (RandomDdl), with the name of a table, of another or the same table, and a number.
-- The names of the sections state the effect on rows.

-- name: random: create, keeps rows
CREATE TABLE %1$s (id INT PRIMARY KEY, n INT);
CREATE TABLE %1$s (id INT PRIMARY KEY, n INT, w INT DEFAULT %3$s);
CREATE TABLE IF NOT EXISTS %1$s (id INT PRIMARY KEY, n INT);

-- name: random: create as, both
CREATE TABLE %1$s AS SELECT id, n FROM %2$s;

-- name: random: wipes
DROP TABLE %1$s CASCADE;
TRUNCATE TABLE %1$s;

-- name: random: columns, keeps rows
ALTER TABLE %1$s ADD COLUMN w INT DEFAULT %3$s;
ALTER TABLE %1$s ADD COLUMN w INT;
ALTER TABLE %1$s DROP COLUMN w;
ALTER TABLE %1$s RENAME COLUMN w TO x;
ALTER TABLE %1$s RENAME COLUMN x TO w;
ALTER TABLE %1$s DROP COLUMN x;
ALTER TABLE %1$s ALTER COLUMN n TYPE bigint;
ALTER TABLE %1$s ALTER COLUMN n TYPE int;

-- name: random: more columns, keeps rows
ALTER TABLE %1$s ADD COLUMN w INT DEFAULT %3$s;
ALTER TABLE %1$s DROP COLUMN w;

-- name: random: create again, keeps rows
CREATE TABLE %1$s (id INT PRIMARY KEY, n INT);

-- name: random: rename, both
ALTER TABLE %1$s RENAME TO %2$s;
ALTER TABLE %1$s RENAME TO %2$s;

-- name: random: truncate, wipes
TRUNCATE TABLE %1$s;

-- name: random: indexes, keeps rows
CREATE INDEX r_%1$s ON %1$s (n);
DROP INDEX r_%1$s;
CREATE INDEX r_more_%1$s ON %1$s (n, id);

-- name: random: indexes alone, keeps rows
CREATE INDEX CONCURRENTLY r_%1$s ON %1$s (n);
DROP INDEX CONCURRENTLY r_%1$s;
CREATE UNIQUE INDEX CONCURRENTLY r_unique_%1$s ON %1$s (n, id);
DROP INDEX CONCURRENTLY r_unique_%1$s;
REINDEX TABLE CONCURRENTLY %1$s;

-- name: DDL in a transaction
BEGIN;

-- name: random: views, keeps rows
CREATE OR REPLACE VIEW rv AS SELECT id, n FROM %1$s;
CREATE OR REPLACE VIEW rv AS SELECT id, n + %3$s AS n FROM %1$s;
CREATE OR REPLACE VIEW rv AS SELECT a.id, b.n FROM %1$s a JOIN %2$s b ON a.id = b.id;
DROP VIEW rv;
