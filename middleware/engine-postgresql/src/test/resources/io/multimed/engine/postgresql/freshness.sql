-- Reads of tables and what else shows their rows, for FreshnessTest. In each section but the first two, the first
-- statement is a change, and the others are queries of one value whose result it changes. The sections at the end are
-- for FreshHistoryTest.

-- name: schema
CREATE TABLE brake (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO brake VALUES (1, 0);
CREATE TABLE other (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO other VALUES (1, 0);
CREATE VIEW other_view AS SELECT n FROM other;
CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO a VALUES (1, 0);
CREATE SCHEMA beside;
CREATE TABLE beside.c (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO beside.c VALUES (1, 0);
CREATE TABLE "Mixed ""and"" Quoted" (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO "Mixed ""and"" Quoted" VALUES (1, 0);
CREATE TABLE ünlaut (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO ünlaut VALUES (1, 0);
CREATE VIEW a_view AS SELECT n FROM a;
CREATE VIEW view_of_view AS SELECT v.n FROM a_view v CROSS JOIN other;
CREATE VIEW view_with_subquery AS SELECT o.n + (SELECT max(n) FROM a) AS n FROM other o;
CREATE TABLE parent (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE child (more int) INHERITS (parent);
CREATE TABLE grandchild (most int) INHERITS (child);
INSERT INTO grandchild VALUES (1, 0, 0, 0);
CREATE VIEW parent_view AS SELECT n FROM parent;
CREATE TABLE parted (id int, n int NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (10) PARTITION BY LIST (id);
CREATE TABLE parted_one PARTITION OF parted_low FOR VALUES IN (1);
CREATE TABLE parted_high PARTITION OF parted FOR VALUES FROM (10) TO (20);
INSERT INTO parted VALUES (1, 0), (11, 0);
CREATE FUNCTION reads_a() RETURNS int LANGUAGE sql STABLE AS 'SELECT max(n) FROM a';
CREATE FUNCTION claims_to_be_pure() RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN (SELECT max(n) FROM public.a); END';
CREATE FUNCTION of_row(other) RETURNS int LANGUAGE sql STABLE AS 'SELECT max(n) FROM a';
CREATE FUNCTION rows_of_a() RETURNS SETOF a LANGUAGE sql STABLE AS 'SELECT * FROM a';
CREATE VIEW view_of_function AS SELECT reads_a() AS n;
CREATE TABLE master_row (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE detail (id int PRIMARY KEY, master_id int REFERENCES master_row ON DELETE CASCADE ON UPDATE CASCADE);
INSERT INTO master_row VALUES (1, 0), (2, 0);
INSERT INTO detail VALUES (1, 1), (2, 2);
CREATE TABLE audited (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO audited VALUES (1, 0);
CREATE TABLE audit (n int);
CREATE FUNCTION write_audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO audit VALUES (NEW.n); RETURN NULL; END';
CREATE TRIGGER write_audit AFTER UPDATE ON audited FOR EACH ROW EXECUTE FUNCTION write_audit();
CREATE TABLE ruled (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO ruled VALUES (1, 0);
CREATE TABLE rule_log (n int);
CREATE RULE log_it AS ON UPDATE TO ruled DO ALSO INSERT INTO rule_log VALUES (NEW.n);
CREATE VIEW updatable AS SELECT id, n FROM a;
CREATE TABLE emptied (id int PRIMARY KEY);
INSERT INTO emptied VALUES (1);
CREATE TABLE many (id int PRIMARY KEY, t text);
CREATE UNLOGGED TABLE careless (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO careless VALUES (1, 0);
CREATE TABLE computed (id int PRIMARY KEY, n int NOT NULL, twice int GENERATED ALWAYS AS (n * 2) STORED);
INSERT INTO computed VALUES (1, 0);
CREATE TABLE old_name (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO old_name VALUES (1, 0);
CREATE TABLE swapped (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO swapped VALUES (1, 7);
CREATE MATERIALIZED VIEW kept AS SELECT n FROM a;

-- name: independent
-- Queries that the other sections do not concern.
SELECT n FROM other;
SELECT n FROM Other AS o WHERE id = 1;
SELECT n FROM public."other";
SELECT n FROM other_view;
SELECT 0;
SELECT count(*) - 1 FROM other, LATERAL (SELECT 1) x;

-- name: table
UPDATE a SET n = n + 1;
SELECT n FROM a;
SELECT n FROM ONLY public.A;
SELECT n FROM shop.public."a";
SELECT o.n + (SELECT max(n) FROM a) FROM other o;
SELECT o.n + CASE WHEN EXISTS (SELECT 1 FROM a WHERE a.n % 2 = 1) THEN 1 ELSE 0 END FROM other o;
WITH a AS (SELECT n FROM a) SELECT n FROM a;
SELECT y.n FROM (WITH other AS (SELECT n FROM a) SELECT n FROM other) y;
SELECT (WITH a AS (SELECT 1) SELECT count(*) FROM a) + a.n FROM a;
SELECT x.n FROM other JOIN LATERAL (SELECT n FROM a) x ON true;
SELECT n FROM other UNION SELECT n FROM a ORDER BY n DESC LIMIT 1;
SELECT sum(n) FILTER (WHERE n >= (SELECT min(n) FROM other)) FROM a;
SELECT o.id FROM other o ORDER BY (SELECT n FROM a) LIMIT (SELECT n % 2 FROM a);
SELECT max(n) FROM (TABLE a) x;
SELECT (ARRAY(SELECT n FROM a))[1];

-- name: table in another schema
UPDATE beside.c SET n = n + 1;
SELECT n FROM beside.c;
SELECT n FROM Beside . "c";

-- name: names with quotes
UPDATE "Mixed ""and"" Quoted" SET n = n + 1;
SELECT n FROM "Mixed ""and"" Quoted";

-- name: names with letters beyond ASCII
UPDATE ünlaut SET n = n + 1;
SELECT n FROM ünlaut;
SELECT n FROM "ünlaut";

-- name: views
UPDATE a SET n = n + 1;
SELECT n FROM a_view;
SELECT n FROM view_of_view;
SELECT n FROM view_with_subquery;
SELECT n FROM updatable;

-- name: change through a view
UPDATE updatable SET n = n + 1;
SELECT n FROM a;

-- name: child tables
UPDATE grandchild SET n = n + 1;
SELECT n FROM parent;
SELECT n FROM child;
SELECT n FROM parent_view;

-- name: change through the parent
UPDATE parent SET n = n + 1;
SELECT n FROM grandchild;
SELECT max(n) FROM child;

-- name: partitions
UPDATE parted_one SET n = n + 1;
SELECT sum(n) FROM parted;
SELECT sum(n) FROM parted_low;
SELECT n FROM parted_one;

-- name: row that moves to another partition
UPDATE parted SET id = CASE id WHEN 11 THEN 12 ELSE 11 END WHERE id > 10;
SELECT max(id) FROM parted_high;
SELECT max(id) FROM parted;

-- name: functions
UPDATE a SET n = n + 1;
SELECT reads_a();
SELECT public . "reads_a"();
SELECT claims_to_be_pure();
SELECT o.of_row FROM other o;
SELECT n FROM rows_of_a();
SELECT n FROM view_of_function;
SELECT o.n + reads_a() FROM other o;

-- name: cascades
UPDATE master_row SET id = id + 10;
SELECT sum(master_id) FROM detail;

-- name: deleting cascade
DELETE FROM master_row WHERE id = (SELECT min(id) FROM master_row);
SELECT count(*) FROM detail;

-- name: triggers
UPDATE audited SET n = n + 1;
SELECT count(*) FROM audit;

-- name: rules
UPDATE ruled SET n = n + 1;
SELECT count(*) FROM rule_log;

-- name: truncation
TRUNCATE emptied;
SELECT count(*) FROM emptied;

-- name: truncation of a parent
TRUNCATE parted;
SELECT count(*) FROM parted_high;

-- name: large change
INSERT INTO many SELECT i, repeat('x', 100) FROM generate_series(1, 1000) i;
SELECT count(*) FROM many;

-- name: unlogged table
UPDATE careless SET n = n + 1;
SELECT n FROM careless;

-- name: generated column
UPDATE computed SET n = n + 1;
SELECT twice FROM computed;

-- name: materialized view
REFRESH MATERIALIZED VIEW kept;
SELECT n FROM kept;

-- name: replaced view
CREATE OR REPLACE VIEW other_view AS SELECT n + 5 AS n FROM a;
SELECT n FROM other_view;

-- name: renamed table
ALTER TABLE old_name RENAME TO new_name;
SELECT count(*) FROM new_name;

-- name: exchanged names
DO $$ BEGIN ALTER TABLE swapped RENAME TO between_names; ALTER TABLE new_name RENAME TO swapped; ALTER TABLE between_names RENAME TO new_name; END $$;
SELECT n FROM swapped;

-- name: after the exchange
UPDATE swapped SET n = n + 100;
SELECT n FROM swapped;

-- name: new child
CREATE TABLE late () INHERITS (parent);
SELECT count(*) FROM late;

-- name: row of a new child
INSERT INTO late VALUES (5, 5);
SELECT count(*) FROM parent;

-- name: operator
-- From here on queries run code that they do not name: no read is independent any more.
CREATE FUNCTION reads_too(int, int) RETURNS int LANGUAGE sql STABLE AS 'SELECT max(n) FROM public.a';
CREATE OPERATOR @+@ (FUNCTION = reads_too, LEFTARG = int, RIGHTARG = int);
UPDATE a SET n = n + 1;
SELECT 1 @+@ 1;
DROP OPERATOR @+@ (int, int);

-- name: exchange
DO $$ BEGIN ALTER TABLE %1$s RENAME TO between_names; ALTER TABLE %2$s RENAME TO %1$s; ALTER TABLE between_names RENAME TO %2$s; END $$;

-- name: readers of t2
CREATE TABLE above (id int PRIMARY KEY, n bigint);
ALTER TABLE t2 INHERIT above;
CREATE FUNCTION reads_t2() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT max(n) FROM t2';
CREATE VIEW view_of_above AS SELECT n FROM above;

-- name: reads of t2
SELECT n FROM above;
SELECT reads_t2();
SELECT n FROM view_of_above;
