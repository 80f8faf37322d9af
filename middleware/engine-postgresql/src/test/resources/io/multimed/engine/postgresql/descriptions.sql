-- Statements of DescriptionTest: what happens if the engine runs one, or a part of one, is in the table paid.

-- name: setup
CREATE TABLE paid (n int);
CREATE TABLE thing (id serial PRIMARY KEY, v varchar(20) NOT NULL, w int);
INSERT INTO thing (v) VALUES ('a');
CREATE TABLE other (id int PRIMARY KEY, v varchar(20));
CREATE TABLE bill (id serial PRIMARY KEY, v int);
CREATE FUNCTION pay(x int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO paid VALUES (x); RETURN x; END $$;
CREATE FUNCTION pay_pure(x int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'evaluated'; END $$;
CREATE FUNCTION pay_inline(x int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT pay_pure(x)';
CREATE FUNCTION paid_for(x int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO paid VALUES (x); RETURN true; END $$;
CREATE FUNCTION taken(x int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('held.value', '5', false), pg_advisory_lock(77); RETURN true; END $$;
CREATE DOMAIN price AS int CHECK (paid_for(VALUE));
CREATE DOMAIN token AS int CHECK (taken(VALUE));
CREATE TABLE priced (id int PRIMARY KEY, prices price[]);
CREATE VIEW paying AS SELECT pay(1) AS r;
CREATE PROCEDURE pays(x int) LANGUAGE plpgsql AS $$ BEGIN INSERT INTO paid VALUES (x); END $$;

-- name: paying
-- The first one pays once per execution; others may pay more often.
SELECT pay(5);
SELECT pay(5) AS p, id, v FROM thing;
SELECT id, v FROM thing WHERE id = pay(1);

-- name: described
-- Nothing of them runs when they are described.
SELECT pay(5);
SELECT pay(?);
SELECT round(1.25, pay(1));
SELECT pay_pure(1);
SELECT pay_inline(1) + 1;
SELECT id FROM thing WHERE v = ? AND id = pay_pure(1) FOR UPDATE;
SELECT * FROM paying;
EXPLAIN ANALYZE SELECT * FROM paying;
CALL pays(3);
CALL pays(?);
{call pays(?)};
{? = call pay(?)};
{? = call pay(5)};
DO $$ BEGIN PERFORM pay(5); END $$;
INSERT INTO paid VALUES (pay(?));
INSERT INTO paid VALUES (pay(5)) RETURNING n;
WITH d AS (UPDATE thing SET w = pay(3) RETURNING id) SELECT id FROM d;
SELECT 5::price;
SELECT '5'::price;
SELECT '{5}'::price[];
SELECT id FROM priced WHERE prices = '{5}';
INSERT INTO priced VALUES (?, '{5}');

-- name: stateful
-- Statement | question | the answer of a client that has left the session as it was.
SELECT pg_advisory_lock(77) | SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 | 0;
SELECT set_config('held.value', '5', false) | SELECT coalesce(current_setting('held.value', true), '') | ;
SELECT '{5}'::token[] | SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 | 0;
SELECT '{5}'::token[] | SELECT coalesce(current_setting('held.value', true), '') | ;
SET search_path = pg_catalog | SELECT current_schema() | public;
PREPARE kept AS SELECT 1 | SELECT count(*) FROM pg_prepared_statements WHERE name = 'kept' | 0;

-- name: refused
SELECT * FROM multimed.sealed;
LISTEN something;

-- name: columns
-- Statement | label, type, table and column of each column of the description, before the execution.
SELECT id, v AS label, w + 1 AS more FROM thing WHERE id = ? | id serial thing id, label varchar thing v, more int4  more;
SELECT t.v FROM thing t JOIN thing u ON u.id = t.id | v varchar thing v;
SELECT count(*) AS n FROM thing | n int8  n;
SELECT pay(?) AS p, v FROM thing | p int4  p, v varchar thing v;
SELECT a.v, b.v FROM thing a JOIN other b ON b.id = a.id | v varchar thing v, v varchar other v;

-- name: keys
-- Statement that pays | its columns before the execution | the columns of its keys.
INSERT INTO bill (v) VALUES (pay(1)) | id serial bill id, v int4 bill v | id serial bill id, v int4 bill v;
INSERT INTO bill (v) VALUES (pay(1)) RETURNING v, id | v int4 bill v, id serial bill id | v int4 bill v, id serial bill id;

-- name: sequence
CREATE SEQUENCE moved;
SELECT nextval('moved');

-- name: temporary
CREATE TEMPORARY TABLE own (a int, b varchar(7));
SELECT a, b FROM own WHERE a = ?;
SELECT pay(a), b FROM own;

-- name: lock
-- The second statement waits for the transaction of the first one; no other session can describe the table meanwhile.
SELECT v FROM thing FOR UPDATE;
LOCK TABLE thing IN ACCESS EXCLUSIVE MODE;

-- name: waiting
SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock';

-- name: rights
CREATE TABLE item (id int PRIMARY KEY, v varchar(20));
CREATE TABLE secret (id int PRIMARY KEY, v varchar(20));
CREATE SCHEMA hidden;
CREATE TABLE hidden.secret (id int PRIMARY KEY, v varchar(20));
GRANT SELECT ON item TO clerk;

-- name: denied
-- The engine checks the privileges for tables when a statement runs, and those for schemas when it is described.
-- fails: 42501
SELECT v FROM hidden.secret WHERE id = ?;

-- name: own catalog
SELECT string_agg(tablename, ',') FROM pg_tables;
