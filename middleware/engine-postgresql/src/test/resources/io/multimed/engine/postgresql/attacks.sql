-- Statements by which a client with few rights could take satellites away from all others. Some are refused. The loops
-- that take long run for maker only, who has few rights: a second run for the owner would show nothing more.

-- name: setup
CREATE SCHEMA lab AUTHORIZATION maker;
CREATE SCHEMA other;
CREATE TABLE item (id int PRIMARY KEY, v text);
INSERT INTO item SELECT i, 'v' FROM generate_series(1, 10) i;
CREATE TABLE other.thing (id int PRIMARY KEY);
CREATE SEQUENCE counter;
GRANT ALL ON item TO maker;

-- name: ANALYZE of a temporary table, in one text
CREATE TEMP TABLE x (a int); ANALYZE x;

-- name: ANALYZE of a temporary table
CREATE TEMP TABLE y (a int);
ANALYZE y;

-- name: ANALYZE of a temporary table in a transaction
BEGIN;
CREATE TEMP TABLE z (a int);
ANALYZE z;
COMMIT;

-- name: ANALYZE of a sequence
ANALYZE counter;

-- name: ANALYZE of the catalog
ANALYZE pg_class;

-- name: ANALYZE of everything
ANALYZE VERBOSE;

-- name: ANALYZE and another statement
ANALYZE; SELECT 1;

-- name: ANALYZE of a name on the search path
BEGIN;
SET LOCAL search_path = other;
ANALYZE thing;
COMMIT;

-- name: ANALYZE of a new name on the search path
SET search_path = lab;
CREATE TABLE u (a int);
ANALYZE u;
DROP TABLE u;

-- name: ANALYZE of a column
ANALYZE item (v);

-- name: ANALYZE with options, of a table and a sequence
ANALYZE (VERBOSE false) "item", counter;

-- name: ANALYZE of a missing column
ANALYZE item (no_column);

-- name: ANALYZE of a table that its transaction drops
BEGIN;
CREATE TABLE lab.gone (a int);
ANALYZE lab.gone;
DROP TABLE lab.gone;
COMMIT;

-- name: ANALYZE of a materialized view
CREATE MATERIALIZED VIEW lab.mv AS SELECT 1 AS a;
ANALYZE lab.mv;
DROP MATERIALIZED VIEW lab.mv;

-- name: extended statistics
CREATE TABLE lab.s1 (id int, v int);
CREATE STATISTICS lab.st (dependencies) ON id, v FROM lab.s1;
ANALYZE lab.s1;
DROP TABLE lab.s1;

-- name: comments, storage and statistics targets
CREATE TABLE lab.c1 (id int);
COMMENT ON TABLE lab.c1 IS 'it''s';
ALTER TABLE lab.c1 ADD v text;
ALTER TABLE lab.c1 ALTER v SET STORAGE EXTERNAL;
ALTER TABLE lab.c1 ALTER v SET STATISTICS 10;
DROP TABLE lab.c1;

-- name: maintenance
CREATE TABLE lab.v1 (id int PRIMARY KEY);
REINDEX TABLE lab.v1;
CLUSTER lab.v1 USING v1_pkey;
VACUUM lab.v1;
VACUUM ANALYZE lab.v1;
DROP TABLE lab.v1;

-- name: maintenance of temporary objects
CREATE TEMP TABLE tm (a int PRIMARY KEY, v text);
COMMENT ON TABLE tm IS 'x';
ALTER TABLE tm ALTER v SET STATISTICS 10;
ALTER TABLE tm SET (autovacuum_enabled = off);
CREATE STATISTICS tm_st ON a, v FROM tm;
CREATE INDEX tm_v ON tm (v);
COMMENT ON INDEX tm_v IS 'x';
REINDEX TABLE tm;
REINDEX INDEX tm_v;
CLUSTER tm USING tm_pkey;
VACUUM tm;
VACUUM ANALYZE tm;
ANALYZE item, tm;
CREATE TEMP SEQUENCE tq;
COMMENT ON SEQUENCE tq IS 'x';
ANALYZE tq;
CREATE TEMP VIEW tv AS SELECT 1 AS a;
COMMENT ON COLUMN tv.a IS 'x';
ANALYZE tv;
ANALYZE pg_temp.tm;

-- name: maintenance of sequences and views
CREATE SEQUENCE lab.sq;
COMMENT ON SEQUENCE lab.sq IS 'x';
ALTER SEQUENCE lab.sq RESTART 5;
ALTER SEQUENCE lab.sq OWNED BY NONE;
VACUUM lab.sq;
REINDEX TABLE lab.sq;
CLUSTER lab.sq;
ANALYZE lab.sq, item;
CREATE VIEW lab.vw AS SELECT 1 AS a;
COMMENT ON VIEW lab.vw IS 'x';
COMMENT ON COLUMN lab.vw.a IS 'x';
ALTER VIEW lab.vw ALTER a SET DEFAULT 2;
ANALYZE lab.vw;
VACUUM lab.vw;
DROP VIEW lab.vw;
DROP SEQUENCE lab.sq;

-- name: maintenance of names that mean something else
ANALYZE nothing;
ANALYZE item, nothing;
ANALYZE elsewhere.public.item;
ANALYZE multimed.told;
ANALYZE item_pkey;
ANALYZE pg_toast.pg_toast_1;
ANALYZE information_schema.sql_features;
VACUUM nothing;
REINDEX TABLE nothing;
COMMENT ON TABLE nothing IS 'x';
COMMENT ON INDEX item_pkey IS 'x';
ALTER TABLE nothing ALTER a SET STATISTICS 1;
ALTER INDEX item_pkey SET (fillfactor = 50);
CLUSTER;
REINDEX SCHEMA other;

-- name: maintenance of a foreign table
CREATE FOREIGN DATA WRAPPER lab_w;
CREATE SERVER lab_s FOREIGN DATA WRAPPER lab_w;
CREATE FOREIGN TABLE lab.ft (a int) SERVER lab_s;
COMMENT ON FOREIGN TABLE lab.ft IS 'x';
ALTER FOREIGN TABLE lab.ft ALTER a SET STATISTICS 10;
ANALYZE lab.ft;
VACUUM lab.ft;
ANALYZE;
DROP FOREIGN DATA WRAPPER lab_w CASCADE;

-- name: ANALYZE within other statements
DO $$ BEGIN EXECUTE 'ANALYZE item'; CREATE TEMP TABLE dt (a int); ANALYZE dt; END $$;
PREPARE a AS ANALYZE item;
EXPLAIN ANALYZE SELECT 1;
ANALYZE /* ; */ item -- , nothing
;
ANALYZE (BUFFER_USAGE_LIMIT 0, SKIP_LOCKED) item (v, id), ONLY item, item *;

-- name: an unlogged table
CREATE UNLOGGED TABLE lab.u (a int);
ANALYZE lab.u;
DROP TABLE lab.u;

-- name: an index function that depends on its user
CREATE FUNCTION lab.who(a int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS
    $$ BEGIN IF current_user <> 'maker' THEN RAISE 'no'; END IF; RETURN a; END $$;
CREATE TABLE lab.i1 (a int);
CREATE INDEX ON lab.i1 (lab.who(a));
INSERT INTO lab.i1 VALUES (1);
DROP TABLE lab.i1;
DROP FUNCTION lab.who;

-- name: an index function that depends on a setting
CREATE FUNCTION lab.div(a int) RETURNS int IMMUTABLE LANGUAGE sql AS
    $$ SELECT 1 / (current_setting('work_mem') <> '4MB')::int $$;
CREATE TABLE lab.i2 (a int);
INSERT INTO lab.i2 VALUES (1);
CREATE INDEX ON lab.i2 (lab.div(a));
DROP TABLE lab.i2;
DROP FUNCTION lab.div;

-- name: an index function that is replaced
CREATE FUNCTION lab.div2(a int) RETURNS int IMMUTABLE LANGUAGE sql AS $$ SELECT 1 / a $$;
CREATE TABLE lab.i3 (a int);
CREATE INDEX ON lab.i3 (lab.div2(a));
INSERT INTO lab.i3 VALUES (1);
CREATE OR REPLACE FUNCTION lab.div2(a int) RETURNS int IMMUTABLE LANGUAGE sql AS $$ SELECT a / 0 $$;
INSERT INTO lab.i3 VALUES (2);
CREATE OR REPLACE FUNCTION lab.div2(a int) RETURNS int IMMUTABLE LANGUAGE sql AS $$ SELECT 1 / a $$;
INSERT INTO lab.i3 VALUES (3);
DROP TABLE lab.i3;
DROP FUNCTION lab.div2;

-- name: an index function that fails for other rows
CREATE FUNCTION lab.div3(a int) RETURNS int IMMUTABLE LANGUAGE sql AS $$ SELECT 1 / a $$;
CREATE TABLE lab.i4 (a int);
INSERT INTO lab.i4 VALUES (0);
CREATE INDEX ON lab.i4 (lab.div3(a)) WHERE a > 0;
UPDATE lab.i4 SET a = 5;
DROP TABLE lab.i4;
DROP FUNCTION lab.div3;

-- name: a partition key that is an expression
CREATE TABLE lab.p1 (a int, b text) PARTITION BY LIST (lower(b));
CREATE TABLE lab.p2 PARTITION OF lab.p1 FOR VALUES IN ('x');
INSERT INTO lab.p1 VALUES (1, 'X');
ALTER TABLE lab.p1 DETACH PARTITION lab.p2;
DROP TABLE lab.p1, lab.p2;

-- name: enum types
CREATE TYPE lab.mood AS ENUM ('a');
CREATE TABLE lab.e1 (m lab.mood);
ALTER TYPE lab.mood ADD VALUE 'b';
INSERT INTO lab.e1 VALUES ('b');
ALTER TYPE lab.mood RENAME VALUE 'b' TO 'c';
DROP TABLE lab.e1;
DROP TYPE lab.mood;

-- name: composite types
CREATE TYPE lab.pair AS (a int, b text);
CREATE TABLE lab.t1 (p lab.pair);
INSERT INTO lab.t1 VALUES ((1, 'x'));
ALTER TYPE lab.pair ADD ATTRIBUTE c int CASCADE;
INSERT INTO lab.t1 VALUES ((1, 'x', 2));
ALTER TYPE lab.pair DROP ATTRIBUTE a CASCADE;
DROP TABLE lab.t1;
DROP TYPE lab.pair;

-- name: domains
CREATE DOMAIN lab.pos AS int CHECK (VALUE > 0);
CREATE TABLE lab.d1 (a lab.pos);
INSERT INTO lab.d1 VALUES (1);
ALTER DOMAIN lab.pos DROP CONSTRAINT pos_check;
INSERT INTO lab.d1 VALUES (-1);
DROP TABLE lab.d1;
DROP DOMAIN lab.pos;

-- name: a deferred key
CREATE TABLE lab.k1 (a int UNIQUE DEFERRABLE INITIALLY DEFERRED);
BEGIN;
INSERT INTO lab.k1 VALUES (1), (1);
DELETE FROM lab.k1 WHERE ctid = '(0,1)';
COMMIT;
DROP TABLE lab.k1;

-- name: an exclusion constraint
CREATE TABLE lab.x1 (r int4range, EXCLUDE USING gist (r WITH &&));
INSERT INTO lab.x1 VALUES ('[1,2)');
UPDATE lab.x1 SET r = '[5,6)';
DROP TABLE lab.x1;

-- name: names with quotes and comments
CREATE TABLE lab."Odd "" name;--" ("a b" int PRIMARY KEY, "c""d" text);
INSERT INTO lab."Odd "" name;--" VALUES (1, 'x');
ANALYZE lab."Odd "" name;--";
DROP TABLE lab."Odd "" name;--";

-- name: a view that divides
CREATE TABLE lab.w1 (a int);
CREATE VIEW lab.w2 AS SELECT a, 1 / a AS b FROM lab.w1;
CREATE OR REPLACE VIEW lab.w2 AS SELECT a, 2 / a AS b FROM lab.w1;
DROP VIEW lab.w2;
DROP TABLE lab.w1;

-- name: a rule
CREATE VIEW lab.r1 AS SELECT 1 AS a;
CREATE RULE up AS ON INSERT TO lab.r1 DO INSTEAD NOTHING;
DROP VIEW lab.r1;

-- name: a generated column
CREATE TABLE lab.g1 (a int, b int GENERATED ALWAYS AS (a / 1) STORED);
INSERT INTO lab.g1 VALUES (1);
DROP TABLE lab.g1;

-- name: an index on compressible values
CREATE TABLE lab.n1 (a text);
INSERT INTO lab.n1 SELECT repeat('x', 3000) FROM generate_series(1, 3);
CREATE INDEX ON lab.n1 (a);
DROP TABLE lab.n1;

-- name: an index on values that are too large
CREATE TABLE lab.n2 (a text);
CREATE INDEX ON lab.n2 (a);
INSERT INTO lab.n2 SELECT string_agg(md5(i::text), '') FROM generate_series(1, 80) i;
DROP TABLE lab.n2;

-- name: an index on a hash
CREATE TABLE lab.n3 (a text);
CREATE INDEX ON lab.n3 (md5(a));
INSERT INTO lab.n3 VALUES ('x');
DROP TABLE lab.n3;

-- name: an ICU collation
CREATE COLLATION lab.co (provider = icu, locale = 'de-u-co-phonebk');
CREATE TABLE lab.co1 (a text COLLATE lab.co PRIMARY KEY);
INSERT INTO lab.co1 VALUES ('ä');
DROP TABLE lab.co1;
DROP COLLATION lab.co;

-- name: a collation that is not deterministic
CREATE COLLATION lab.nd (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE lab.nd1 (a text COLLATE lab.nd PRIMARY KEY);
INSERT INTO lab.nd1 VALUES ('a');
DROP TABLE lab.nd1;
DROP COLLATION lab.nd;

-- name: functions with the names of built-in ones
CREATE FUNCTION lab.pg_catalog_trap(a int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT a';
CREATE FUNCTION lab.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS 'SELECT 1/0 || $1';
SET search_path = lab, pg_catalog;
CREATE TABLE tt (a int);
ANALYZE tt;
DROP TABLE tt;
RESET search_path;
DROP FUNCTION lab.pg_catalog_trap, lab.set_config;

-- name: a search path that begins with temporary tables
SET search_path = pg_temp, lab;
CREATE TABLE q1 (a int);
ANALYZE q1;
DROP TABLE q1;

-- name: storage parameters
CREATE TABLE lab.f1 (a int) WITH (fillfactor = 10);
ALTER TABLE lab.f1 SET (autovacuum_enabled = false);
ALTER TABLE lab.f1 REPLICA IDENTITY FULL;
DROP TABLE lab.f1;

-- name: concurrent indexes
CREATE TABLE lab.cn (a int);
CREATE INDEX CONCURRENTLY cni ON lab.cn (a);
REINDEX INDEX CONCURRENTLY lab.cni;
DROP INDEX CONCURRENTLY lab.cni;
DROP TABLE lab.cn;

-- name: many tables
DO $$ BEGIN FOR i IN 1..200 LOOP EXECUTE format('CREATE TABLE lab.many_%s (a int)', i); END LOOP; END $$;
DO $$ BEGIN FOR i IN 1..200 LOOP EXECUTE format('DROP TABLE lab.many_%s', i); END LOOP; END $$;

-- name: more tables in one transaction than a small lock table holds
DO
    $$ BEGIN FOR i IN 1..3000 LOOP EXIT WHEN current_user <> 'maker'; EXECUTE format('CREATE TABLE lab.lots_%s (a int PRIMARY KEY)', i); END LOOP; END $$;
DO
    $$ BEGIN FOR i IN 1..3000 LOOP EXIT WHEN current_user <> 'maker'; EXECUTE format('DROP TABLE lab.lots_%s', i); END LOOP; END $$;

-- name: inheritance
CREATE TABLE lab.inh (a int);
CREATE TABLE lab.inh2 (b int) INHERITS (lab.inh);
ALTER TABLE lab.inh ADD c int DEFAULT 3;
INSERT INTO lab.inh2 VALUES (1, 2, 3);
DROP TABLE lab.inh CASCADE;

-- name: names of schemas
CREATE SCHEMA sub;
ALTER SCHEMA lab RENAME TO lab2;
ALTER SCHEMA lab2 RENAME TO lab;

-- name: types of columns
CREATE TABLE lab.cp AS SELECT i, repeat('x', 100) AS t FROM generate_series(1, 500) i;
ALTER TABLE lab.cp ALTER t TYPE varchar(200);
ALTER TABLE lab.cp ALTER i TYPE bigint;
DROP TABLE lab.cp;

-- name: a cast by a function
CREATE FUNCTION lab.cast1(int) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT ''x''';
CREATE TABLE lab.cs (a int);
ALTER TABLE lab.cs ALTER a TYPE text USING lab.cast1(a);
DROP TABLE lab.cs;
DROP FUNCTION lab.cast1;

-- name: names of columns
CREATE TABLE lab.rn (a int PRIMARY KEY, b int);
INSERT INTO lab.rn VALUES (1, 2);
ALTER TABLE lab.rn RENAME a TO c;
ALTER TABLE lab.rn RENAME b TO a;
ALTER TABLE lab.rn RENAME TO rn2;
ALTER TABLE lab.rn2 SET SCHEMA public;
UPDATE lab.rn2 SET a = 3;
DROP TABLE lab.rn2;

-- name: many types and indexes
CREATE TABLE lab.rg (a int4multirange, b tsvector, c jsonb, d xml, e bit varying, f money, g pg_lsn);
INSERT INTO lab.rg VALUES ('{[1,2)}', 'a b', '{"a":1}', '<a/>', B'1', 1, '0/1');
CREATE INDEX ON lab.rg USING gin (b);
CREATE INDEX ON lab.rg USING gin (c);
CREATE INDEX ON lab.rg USING brin (e);
DROP TABLE lab.rg;

-- name: an extension
CREATE EXTENSION pg_trgm SCHEMA lab;
CREATE TABLE lab.tg (a text);
CREATE INDEX ON lab.tg USING gin (a lab.gin_trgm_ops);
DROP TABLE lab.tg;

-- name: values that no engine reads: trees
CREATE TABLE lab.tree AS SELECT adbin FROM pg_attrdef LIMIT 1;
CREATE TABLE lab.tree2 (a pg_node_tree);
INSERT INTO lab.tree2 SELECT adbin FROM pg_attrdef LIMIT 1;
DROP TABLE IF EXISTS lab.tree, lab.tree2;

-- name: values that no engine reads: statistics
CREATE TABLE lab.sx (a int, b int);
INSERT INTO lab.sx SELECT i % 5, i % 5 FROM generate_series(1, 100) i;
CREATE STATISTICS lab.sxs ON a, b FROM lab.sx;
ANALYZE lab.sx;
CREATE TABLE lab.nd AS SELECT n_distinct, dependencies FROM pg_stats_ext;
DROP TABLE IF EXISTS lab.nd, lab.sx;

-- name: an index that names a sequence
CREATE SEQUENCE lab.seq;
CREATE TABLE lab.rc (a int);
CREATE INDEX ON lab.rc ((a::oid > 'lab.seq'::regclass::oid));
INSERT INTO lab.rc VALUES (1);
DROP TABLE lab.rc;
DROP SEQUENCE lab.seq;

-- name: an index that names a role and a schema
CREATE TABLE lab.rr (a int);
CREATE INDEX ON lab.rr ((a::oid > 'maker'::regrole::oid));
CREATE INDEX ON lab.rr ((a::oid = 'lab'::regnamespace::oid));
CREATE INDEX ON lab.rr ((a)) WHERE a::oid <> 'lab.rr'::regclass;
DROP TABLE lab.rr;

-- name: a text search configuration
CREATE TEXT SEARCH CONFIGURATION lab.cfg (COPY = english);
CREATE TABLE lab.ts (a text);
CREATE INDEX ON lab.ts USING gin (to_tsvector('lab.cfg', a));
INSERT INTO lab.ts VALUES ('x');
CREATE VIEW lab.tsv AS SELECT to_tsvector('lab.cfg', a) AS v FROM lab.ts;
DROP TABLE lab.ts CASCADE;
DROP TEXT SEARCH CONFIGURATION lab.cfg;

-- name: an operator
CREATE FUNCTION lab.plus(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + $2';
CREATE OPERATOR lab.@@@ (LEFTARG = int, RIGHTARG = int, FUNCTION = lab.plus);
CREATE TABLE lab.op (a int);
CREATE VIEW lab.opv AS SELECT a OPERATOR(lab.@@@) 1 AS b FROM lab.op;
CREATE INDEX ON lab.op ((a OPERATOR(lab.@@@) 1));
INSERT INTO lab.op VALUES (1);
DROP TABLE lab.op CASCADE;
DROP OPERATOR lab.@@@ (int, int);
DROP FUNCTION lab.plus;

-- name: an aggregate
CREATE FUNCTION lab.agg_s(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + $2';
CREATE AGGREGATE lab.mysum (int) (SFUNC = lab.agg_s, STYPE = int, INITCOND = '0');
CREATE VIEW lab.agv AS SELECT lab.mysum(id) AS s FROM item;
CREATE FUNCTION lab.usea() RETURNS int LANGUAGE sql STABLE BEGIN ATOMIC SELECT lab.mysum(id) FROM public.item; END;
DROP VIEW lab.agv;
DROP FUNCTION lab.usea;
DROP AGGREGATE lab.mysum (int);
DROP FUNCTION lab.agg_s;

-- name: statements in functions
CREATE SEQUENCE lab.sq;
CREATE FUNCTION lab.atomic1() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT nextval('lab.sq'); END;
CREATE FUNCTION lab.atomic2() RETURNS bigint LANGUAGE sql STABLE BEGIN ATOMIC SELECT last_value FROM lab.sq; END;
CREATE VIEW lab.sqv AS SELECT last_value FROM lab.sq;
CREATE FUNCTION lab.dflt(a bigint DEFAULT nextval('lab.sq')) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT a';
DROP VIEW lab.sqv;
DROP FUNCTION lab.atomic1, lab.atomic2, lab.dflt;
DROP SEQUENCE lab.sq;

-- name: a materialized view as a type
CREATE MATERIALIZED VIEW lab.m1 AS SELECT 1 AS a;
CREATE TABLE lab.m2 (x lab.m1);
INSERT INTO lab.m2 VALUES (ROW(1));
CREATE VIEW lab.m3 AS SELECT a FROM lab.m1;
CREATE FUNCTION lab.m4(lab.m1) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
DROP FUNCTION lab.m4;
DROP TABLE lab.m2;
DROP MATERIALIZED VIEW lab.m1 CASCADE;

-- name: a view as a type
CREATE VIEW lab.cu AS SELECT current_user AS u;
CREATE TABLE lab.cut (x lab.cu);
INSERT INTO lab.cut VALUES (ROW('a'));
DROP TABLE lab.cut;
DROP VIEW lab.cu;

-- name: a table as a type
CREATE TABLE lab.rt1 (a int);
CREATE TABLE lab.rt2 (x lab.rt1, y lab.rt1[]);
INSERT INTO lab.rt2 VALUES (ROW(1), ARRAY[ROW(2)::lab.rt1]);
ALTER TABLE lab.rt1 ADD b text;
INSERT INTO lab.rt2 VALUES (ROW(1, 'x'), NULL);
ALTER TABLE lab.rt1 DROP COLUMN a;
DROP TABLE lab.rt2, lab.rt1;

-- name: types of the catalog
CREATE TABLE lab.ct (x pg_inherits, y information_schema.sql_identifier);
INSERT INTO lab.ct VALUES (NULL, 'x');
DROP TABLE lab.ct;

-- name: polymorphic functions
CREATE FUNCTION lab.va(VARIADIC anyarray) RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0); RETURN 1; END';
CREATE FUNCTION lab.po(anyelement, OUT anyelement) LANGUAGE plpgsql AS 'BEGIN PERFORM random(); END';
CREATE PROCEDURE lab.pr(INOUT a anyelement) LANGUAGE plpgsql AS 'BEGIN a := a; END';
CREATE FUNCTION lab.tr() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE FUNCTION lab.set() RETURNS SETOF record LANGUAGE plpgsql AS 'BEGIN RETURN; END';
CREATE FUNCTION lab.tb() RETURNS TABLE (a int, b text) LANGUAGE plpgsql AS 'BEGIN PERFORM random(); RETURN; END';
DROP ROUTINE lab.va, lab.po, lab.pr, lab.tr, lab.set, lab.tb;

-- name: settings of functions
CREATE FUNCTION lab.fc() RETURNS int LANGUAGE sql IMMUTABLE SET search_path FROM CURRENT AS 'SELECT 1';
CREATE FUNCTION lab.fd() RETURNS int LANGUAGE sql IMMUTABLE SET work_mem = '1MB' AS 'SELECT 1';
CREATE FUNCTION lab.fe() RETURNS int LANGUAGE sql IMMUTABLE SET default_tablespace = 'nowhere' AS 'SELECT 1';
DROP FUNCTION lab.fc, lab.fd;

-- name: a range type
CREATE FUNCTION lab.less(int, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 < $2';
CREATE TYPE lab.rng AS RANGE (SUBTYPE = int);
CREATE TABLE lab.rg1 (a lab.rng, b lab.rng[]);
INSERT INTO lab.rg1 VALUES ('[1,2)', '{"[1,2)"}');
CREATE INDEX ON lab.rg1 USING gist (a);
DROP TABLE lab.rg1;
DROP TYPE lab.rng;
DROP FUNCTION lab.less;

-- name: a range type with a function that fails
CREATE FUNCTION lab.diff(a int, b int) RETURNS double precision LANGUAGE sql IMMUTABLE AS 'SELECT 1 / 0';
CREATE TYPE lab.rng2 AS RANGE (SUBTYPE = int, SUBTYPE_DIFF = lab.diff);
CREATE TABLE lab.rg2 (a lab.rng2);
INSERT INTO lab.rg2 SELECT lab.rng2(i, i + 2) FROM generate_series(1, 5) i;
DROP TABLE lab.rg2;
DROP TYPE lab.rng2;
DROP FUNCTION lab.diff;

-- name: options of XML
SET xmloption = DOCUMENT;
CREATE TABLE lab.xm (a xml);
INSERT INTO lab.xm VALUES ('<!DOCTYPE a [<!ELEMENT a ANY>]><a/>');
SET xmloption = CONTENT;
INSERT INTO lab.xm VALUES ('x<a/>'), ('');
DROP TABLE lab.xm;

-- name: nulls of arrays
SET array_nulls = off;
CREATE TABLE lab.an (a text[]);
INSERT INTO lab.an VALUES ('{NULL}');
DROP TABLE lab.an;

-- name: formats of the session
SET lc_monetary = 'C';
SET DateStyle = 'German';
SET IntervalStyle = 'iso_8601';
SET extra_float_digits = -15;
SET bytea_output = 'escape';
CREATE TABLE lab.st1 (a date, b interval, c float8, d bytea, e money, f timestamptz);
INSERT INTO lab.st1 VALUES ('2020-01-02', '1 day', 0.1, '\x00ff', 1, now());
DROP TABLE lab.st1;

-- name: deep JSON
CREATE TABLE lab.js (a jsonb, b json);
INSERT INTO lab.js VALUES ((repeat('[', 5000) || repeat(']', 5000))::jsonb, (repeat('[', 5000) || repeat(']',
    5000))::json);
DROP TABLE lab.js;

-- name: deep JSON with a deeper stack
SET max_stack_depth = '1900kB';
CREATE TABLE lab.js2 (a json);
INSERT INTO lab.js2 VALUES ((repeat('[', 9000) || repeat(']', 9000))::json);
DROP TABLE lab.js2;

-- name: values of many types
CREATE TABLE lab.tq (a tsquery, b tsvector, c jsonpath, d pg_lsn, e pg_snapshot, f inet, g macaddr8, h uuid, i bit(3),
    j "char", k name, l xid8, m xid, n cid, o tid, p refcursor, q circle, r path, s polygon);
INSERT INTO lab.tq VALUES ('a & b:*', 'a:1A', '$.a[*] ? (@ > 1)', '0/1', '1:1:', '::1', '08:00:2b:01:02:03:04:05',
    gen_random_uuid(), B'101', 'x', 'n', '1', '1', '1', '(0,1)', 'c', '<(1,1),1>', '[(1,1),(2,2)]', '((1,1),(2,2))');
DROP TABLE lab.tq;

-- name: a large value
CREATE TABLE lab.big1 AS SELECT string_agg(md5(i::text), '') AS a FROM generate_series(1, 100000) i;
ALTER TABLE lab.big1 ADD b int DEFAULT 7;
UPDATE lab.big1 SET b = 8;
DROP TABLE lab.big1;

-- name: many columns
DO
    $$ BEGIN EXECUTE 'CREATE TABLE lab.wide (' || (SELECT string_agg('c' || i || ' int', ', ') FROM generate_series(1, 1600) i) || ')'; END $$;
ALTER TABLE lab.wide DROP COLUMN c1;
ALTER TABLE lab.wide ADD c1601 int;
INSERT INTO lab.wide DEFAULT VALUES;
DROP TABLE lab.wide;

-- name: many dropped columns
CREATE TABLE lab.toowide (a int);
DO
    $$ BEGIN FOR i IN 1..400 LOOP EXIT WHEN current_user <> 'maker'; EXECUTE 'ALTER TABLE lab.toowide ADD b int'; EXECUTE 'ALTER TABLE lab.toowide DROP COLUMN b'; END LOOP; END $$;
INSERT INTO lab.toowide VALUES (1);
DROP TABLE lab.toowide;

-- name: partitions of partitions
CREATE TABLE lab.pa (a int, b int) PARTITION BY HASH (a);
CREATE TABLE lab.pa0 PARTITION OF lab.pa FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE lab.pa1 PARTITION OF lab.pa FOR VALUES WITH (MODULUS 2, REMAINDER 1) PARTITION BY RANGE (b);
CREATE TABLE lab.pa11 PARTITION OF lab.pa1 DEFAULT;
INSERT INTO lab.pa SELECT i, i FROM generate_series(1, 9) i;
UPDATE lab.pa SET a = a + 1;
CREATE INDEX ON lab.pa (b);
ALTER TABLE lab.pa DETACH PARTITION lab.pa0 CONCURRENTLY;
ALTER TABLE lab.pa DROP COLUMN b;
TRUNCATE lab.pa;
DROP TABLE lab.pa, lab.pa0;

-- name: partitions by an enum
CREATE TYPE lab.en AS ENUM ('a', 'b');
CREATE TABLE lab.he (a lab.en) PARTITION BY HASH (a);
CREATE TABLE lab.he0 PARTITION OF lab.he FOR VALUES WITH (MODULUS 1, REMAINDER 0);
INSERT INTO lab.he VALUES ('a');
CREATE INDEX ON lab.he (a);
CREATE VIEW lab.hev AS SELECT a FROM lab.he;
CREATE TABLE lab.het (x lab.he);
DROP TABLE lab.het;
DROP TABLE lab.he CASCADE;
DROP TYPE lab.en;

-- name: an enum of the same transaction
BEGIN;
CREATE TYPE lab.en2 AS ENUM ('a');
CREATE TABLE lab.en2t (a lab.en2 DEFAULT 'a');
ALTER TYPE lab.en2 ADD VALUE 'b' BEFORE 'a';
COMMIT;
INSERT INTO lab.en2t VALUES ('b');
DROP TABLE lab.en2t;
DROP TYPE lab.en2;

-- name: typed tables
CREATE TYPE lab.tt1 AS (a int, b text);
CREATE TABLE lab.of2 OF lab.tt1 (PRIMARY KEY (a));
INSERT INTO lab.of2 VALUES (1, 'x');
ALTER TYPE lab.tt1 ADD ATTRIBUTE c int CASCADE;
DROP TABLE lab.of2;
DROP TYPE lab.tt1;

-- name: names of array types
CREATE TABLE lab.a AS SELECT 1 AS x;
CREATE TABLE lab._a (y int);
CREATE TYPE lab.__a AS (z int);
DROP TABLE lab.a;
CREATE TYPE lab.a AS ENUM ('q');
CREATE TABLE lab.use (p lab.a[], q lab._a[], r lab.__a[]);
DROP TABLE lab.use, lab._a;
DROP TYPE lab.a, lab.__a;

-- name: nulls in keys
CREATE TABLE lab.nn (a int NOT NULL, CONSTRAINT c CHECK (a > 0) NO INHERIT, UNIQUE NULLS NOT DISTINCT (a) INCLUDE (a));
INSERT INTO lab.nn VALUES (1);
ALTER TABLE lab.nn ALTER a DROP NOT NULL;
INSERT INTO lab.nn VALUES (NULL);
DROP TABLE lab.nn;

-- name: row level security
CREATE TABLE lab.rl (a int);
ALTER TABLE lab.rl ENABLE ROW LEVEL SECURITY;
ALTER TABLE lab.rl FORCE ROW LEVEL SECURITY;
CREATE POLICY p ON lab.rl USING (1 / 0 = 1);
CREATE POLICY q ON lab.rl FOR INSERT WITH CHECK (true);
INSERT INTO lab.rl VALUES (1);
ANALYZE lab.rl;
DROP TABLE lab.rl;

-- name: identities
CREATE TABLE lab.id (a int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, b int GENERATED ALWAYS AS (1 / 1) STORED);
INSERT INTO lab.id DEFAULT VALUES;
ALTER TABLE lab.id ALTER a DROP IDENTITY;
ALTER TABLE lab.id ALTER b DROP EXPRESSION;
DROP TABLE lab.id;

-- name: triggers
CREATE TABLE lab.tg1 (a int);
CREATE FUNCTION lab.tgf() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END';
CREATE TRIGGER t AFTER INSERT ON lab.tg1 FOR EACH ROW EXECUTE FUNCTION lab.tgf();
CREATE CONSTRAINT TRIGGER t2 AFTER INSERT ON lab.tg1 DEFERRABLE FOR EACH ROW EXECUTE FUNCTION lab.tgf();
ALTER TABLE lab.tg1 ENABLE ALWAYS TRIGGER t2;
ALTER TABLE lab.tg1 ENABLE REPLICA TRIGGER t2;
DROP TABLE lab.tg1;
DROP FUNCTION lab.tgf;

-- name: names like those of Multimed
CREATE TABLE lab.multimed_x (a int);
CREATE INDEX multimed_own ON lab.multimed_x (a);
ALTER TABLE lab.multimed_x RENAME TO "!multimed";
DROP TABLE lab."!multimed";

-- name: casts
CREATE CAST (text AS int) WITH INOUT;
CREATE TYPE lab.cte AS ENUM ('1');
CREATE CAST (lab.cte AS int) WITH INOUT AS IMPLICIT;
DROP TYPE lab.cte CASCADE;

-- name: collations
CREATE TABLE lab.col1 (a text COLLATE "C" PRIMARY KEY, b text COLLATE "C");
CREATE COLLATION lab.cl (locale = 'C');
CREATE COLLATION lab.cl2 FROM "C";
ALTER TABLE lab.col1 ALTER b TYPE text COLLATE lab.cl;
DROP TABLE lab.col1;
DROP COLLATION lab.cl, lab.cl2;

-- name: statements without a copy
CREATE PUBLICATION pb;
SECURITY LABEL ON TABLE item IS 'x';
NOTIFY x;
LOCK TABLE item;
GRANT SELECT ON item TO PUBLIC;
REVOKE SELECT ON item FROM PUBLIC;
REASSIGN OWNED BY maker TO maker;

-- name: a constraint with the name of a satellite
CREATE TABLE lab.oc (a int CONSTRAINT multimed_own_0 PRIMARY KEY);
INSERT INTO lab.oc VALUES (1);
DROP TABLE IF EXISTS lab.oc;

-- name: indexes with the names of a satellite
CREATE TABLE lab.oi (a int);
CREATE INDEX multimed_own_1 ON lab.oi (a);
ALTER INDEX lab.multimed_own_1 RENAME TO z1;
CREATE INDEX CONCURRENTLY multimed_own_2 ON lab.oi (a);
ALTER TABLE lab.oi ADD CONSTRAINT multimed_own_3 UNIQUE (a);
CREATE INDEX z3 ON lab.oi (a);
ALTER INDEX lab.z3 RENAME TO multimed_own_4;
DROP TABLE lab.oi;

-- name: compression that a satellite may lack
SET default_toast_compression = 'lz4';
CREATE TABLE lab.lz (a text);
CREATE INDEX ON lab.lz (a);
INSERT INTO lab.lz SELECT string_agg(md5(i::text), '') || repeat('x', 4000) FROM generate_series(1, 40) i;
DROP TABLE lab.lz;

-- name: a compressed key
CREATE TABLE lab.lz2 (a text COMPRESSION lz4 PRIMARY KEY);
INSERT INTO lab.lz2 SELECT string_agg(md5(i::text), '') || repeat('x', 4000) FROM generate_series(1, 40) i;
DROP TABLE lab.lz2;
