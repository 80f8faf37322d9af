-- For CaptureTest: tables, keys and names of every kind. EngineSql reads this file. The table "series" contains the
-- numbers from 1 to 1000.

-- name: keys that change at once
CREATE TABLE keys (id int, v text, CONSTRAINT keys_pk PRIMARY KEY (id) DEFERRABLE);
CREATE TABLE uniques (id int PRIMARY KEY, u int UNIQUE DEFERRABLE, p int, r int4range, EXCLUDE USING gist (r WITH &&));
INSERT INTO keys SELECT i, 'v' || i FROM generate_series(1, 100) i;
INSERT INTO uniques SELECT i, i, i, int4range(i * 10, i * 10 + 10) FROM generate_series(1, 100) i;
CREATE UNIQUE INDEX ON uniques (p);
UPDATE keys SET id = CASE id WHEN 1 THEN 2 ELSE 1 END WHERE id IN (1, 2);
UPDATE keys SET id = 101 - id;
UPDATE keys SET id = id + 1;
UPDATE uniques SET u = 101 - u;
UPDATE uniques SET u = u + 1, id = id + 1000;
BEGIN;
UPDATE uniques SET p = -1, r = 'empty' WHERE id = 1001;
UPDATE uniques SET p = 1, r = '[10,20)' WHERE id = 1002;
UPDATE uniques SET p = 2, r = '[20,30)' WHERE id = 1001;
DELETE FROM uniques WHERE id = 1003;
INSERT INTO uniques VALUES (1200, 99, 3, '[30,40)');
COMMIT;
BEGIN;
UPDATE keys SET id = id + 1000;
UPDATE keys SET id = id - 2000;
UPDATE keys SET id = -id;
INSERT INTO keys SELECT i, 'again' FROM generate_series(1, 50) i;
DELETE FROM keys WHERE id % 7 = 0;
COMMIT;

-- name: keys of more rows than any buffer holds
CREATE TABLE shifted (id int, u int, v text, PRIMARY KEY (id) DEFERRABLE, UNIQUE (u) DEFERRABLE);
INSERT INTO shifted SELECT i, i, 'some text that makes it longer ' || i FROM generate_series(1, 6000) i;
UPDATE shifted SET id = id + 1, u = u + 7;
UPDATE shifted SET id = 6002 - id;
CREATE TABLE shifted_by_row (id int PRIMARY KEY, u int UNIQUE);
INSERT INTO shifted_by_row SELECT 6000 - i, i FROM generate_series(0, 5999) i;
UPDATE shifted_by_row SET id = id + 6001;

-- name: keys with a collation
CREATE COLLATION anyhow (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
CREATE TABLE collated (k text COLLATE anyhow PRIMARY KEY, v int);
CREATE COLLATION two_letters (provider = icu, locale = 'und-u-ks-level1', deterministic = false, rules = '& z < ö');
CREATE TABLE collated_by_rules (k text COLLATE two_letters PRIMARY KEY);
INSERT INTO collated_by_rules VALUES ('o'), ('ö');

-- name: names
CREATE SCHEMA "Schéma ""1""";
CREATE SCHEMA names;
CREATE TABLE "Schéma ""1"""."Täble, (x)" ("Kéy 1" int, "select" text, "t" int, "r" int, "x" json, "100%" text, PRIMARY KEY ("select", "Kéy 1"));
CREATE TABLE names.t (t text, x int, r int, line int, place int);
CREATE TABLE names."T" ("T" text PRIMARY KEY);
CREATE TABLE names."用户" ("名" text PRIMARY KEY, "😀" int);
CREATE TABLE names."'%s\" ("'" int PRIMARY KEY, "\" text);
INSERT INTO "Schéma ""1"""."Täble, (x)" SELECT i, 'k' || i, i, i, '{}', '%' FROM generate_series(1, 5) i;
UPDATE "Schéma ""1"""."Täble, (x)" SET "t" = "t" + 1, "Kéy 1" = "Kéy 1" + 10 WHERE "Kéy 1" > 2;
INSERT INTO names.t VALUES ('a', 1, 2, 3, 4), ('a', 1, 2, 3, 4), ('b', 1, 2, 3, 4);
DELETE FROM names.t WHERE ctid = (SELECT min(ctid) FROM names.t);
UPDATE names.t SET t = 'c' WHERE t = 'b';
INSERT INTO names."T" VALUES ('a'), ('b');
UPDATE names."T" SET "T" = "T" || 'x';
INSERT INTO names."用户" VALUES ('一', 1);
UPDATE names."用户" SET "😀" = 2;
INSERT INTO names."'%s\" VALUES (1, '\');
UPDATE names."'%s\" SET "\" = '''\';

-- name: equal rows
CREATE TABLE bag (a int, j json, x xml, p point);
INSERT INTO bag SELECT i % 3, '{"a": 1}', '<a/>', '(1,2)' FROM generate_series(1, 30) i;
INSERT INTO bag VALUES (NULL, NULL, NULL, NULL), (NULL, NULL, NULL, NULL);
DELETE FROM bag WHERE ctid = (SELECT min(ctid) FROM bag WHERE a = 1);
UPDATE bag SET j = '[]' WHERE ctid = (SELECT max(ctid) FROM bag WHERE a = 2);
DELETE FROM bag WHERE ctid = (SELECT min(ctid) FROM bag WHERE a IS NULL);
UPDATE bag SET p = '(3,4)' WHERE a = 0;
UPDATE bag SET a = a;
INSERT INTO bag SELECT * FROM bag;

-- name: many equal rows
CREATE TABLE many_equal (a int, b text);
INSERT INTO many_equal SELECT i % 1000, 'x' FROM generate_series(1, 12000) i;
DELETE FROM many_equal WHERE ctid IN (SELECT ctid FROM many_equal LIMIT 6000);
UPDATE many_equal SET a = a + 1 WHERE ctid IN (SELECT ctid FROM many_equal LIMIT 3000);

-- name: no columns
CREATE TABLE no_columns ();
INSERT INTO no_columns DEFAULT VALUES;
INSERT INTO no_columns DEFAULT VALUES;
DELETE FROM no_columns WHERE ctid = (SELECT min(ctid) FROM no_columns);

-- name: partitions
CREATE TABLE measured (id int, day date, v text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE measured_1 PARTITION OF measured FOR VALUES FROM ('2024-01-01') TO ('2024-07-01');
CREATE TABLE measured_2 PARTITION OF measured FOR VALUES FROM ('2024-07-01') TO ('2025-01-01') PARTITION BY LIST (id);
CREATE TABLE measured_2a PARTITION OF measured_2 FOR VALUES IN (1, 2, 3);
CREATE TABLE measured_2b PARTITION OF measured_2 DEFAULT;
INSERT INTO measured SELECT i, DATE '2024-01-01' + i * 3, 'v' FROM generate_series(1, 100) i;
UPDATE measured SET day = day + 180 WHERE id BETWEEN 20 AND 30;
UPDATE measured SET id = id + 1000, v = 'moved' WHERE id < 5;
CREATE TABLE measured_3 (v text, id int NOT NULL, extra int, day date NOT NULL);
ALTER TABLE measured_3 DROP COLUMN extra;
INSERT INTO measured_3 VALUES ('attached', 7, '2025-02-01');
ALTER TABLE measured ATTACH PARTITION measured_3 FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
INSERT INTO measured VALUES (8, '2025-03-01', 'routed');
UPDATE measured SET day = '2025-05-01' WHERE id = 40;
ALTER TABLE measured DETACH PARTITION measured_1;
UPDATE measured_1 SET v = 'alone' WHERE id % 2 = 0;
DELETE FROM measured WHERE id = 8;
CREATE TABLE measured_bag (k int, v text) PARTITION BY HASH (k);
CREATE TABLE measured_bag_0 PARTITION OF measured_bag FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE measured_bag_1 PARTITION OF measured_bag FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO measured_bag SELECT i % 5, 'x' FROM generate_series(1, 50) i;
UPDATE measured_bag SET k = k + 1 WHERE k = 2;

-- name: emptied partitions
TRUNCATE measured;
INSERT INTO measured VALUES (2, '2024-08-01', 'after');

-- name: inheritance
CREATE TABLE city (name text PRIMARY KEY, people int);
CREATE TABLE capital (state text, PRIMARY KEY (name)) INHERITS (city);
INSERT INTO city VALUES ('Zürich', 400000), ('Bern', 1);
INSERT INTO capital VALUES ('Bern', 130000, 'CH'), ('Paris', 2000000, 'F');
UPDATE city SET people = people + 1;
UPDATE ONLY city SET people = 0 WHERE name = 'Bern';
DELETE FROM ONLY city WHERE name = 'Bern';
CREATE TABLE village (elder text) INHERITS (city);
INSERT INTO village VALUES ('Gais', 3000, 'one');
TRUNCATE city;
INSERT INTO village VALUES ('Bühler', 1800, 'another');

-- name: tables that do without a log
CREATE UNLOGGED TABLE unlogged (id serial PRIMARY KEY, v text);
INSERT INTO unlogged (v) SELECT 'x' FROM generate_series(1, 10);
UPDATE unlogged SET v = 'y' WHERE id > 5;

-- name: values that the master computes
CREATE TABLE computed (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id2 bigint GENERATED BY DEFAULT AS IDENTITY, s serial, base int,
    twice int GENERATED ALWAYS AS (base * 2) STORED, r float8 DEFAULT random(), c timestamptz DEFAULT clock_timestamp(),
    u uuid DEFAULT gen_random_uuid(), who text DEFAULT current_user, tx xid8 DEFAULT pg_current_xact_id(), v text DEFAULT 'd');
INSERT INTO computed (base) SELECT i FROM generate_series(1, 100) i;
INSERT INTO computed OVERRIDING SYSTEM VALUE VALUES (1000, 1000, 1000, 5);
UPDATE computed SET base = base + 1, r = DEFAULT, c = DEFAULT WHERE id % 2 = 0;
UPDATE computed SET u = gen_random_uuid(), s = DEFAULT WHERE id % 3 = 0;

-- name: sequences
CREATE SEQUENCE counter START 10 INCREMENT 5;
CREATE TABLE counted (id bigint DEFAULT nextval('counter') PRIMARY KEY, v text);
INSERT INTO counted (v) VALUES ('a'), ('b');
INSERT INTO counted VALUES (nextval('counter'), 'c');
ALTER SEQUENCE counter RESTART WITH 1000;
INSERT INTO counted (v) VALUES ('d');
