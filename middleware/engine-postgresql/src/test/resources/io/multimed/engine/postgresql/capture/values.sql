-- For CaptureTest: values of every kind. EngineSql reads this file. The table "series" contains the
-- numbers from 1 to 1000.

-- name: numbers
CREATE TABLE numbers (id int PRIMARY KEY, n numeric, p numeric(30, 10), f real, d double precision, s smallint, b bigint, m money, o oid,
    t boolean, bits bit(5), varbits bit varying);
INSERT INTO numbers VALUES
    (1, 'NaN', 'NaN', 'NaN', 'NaN', -32768, -9223372036854775808, '-92233720368547758.08', 0, true, B'10101', B''),
    (2, 'Infinity', 1.5, 'Infinity', 'Infinity', 32767, 9223372036854775807, '1234.56', 4294967295, false, B'00000', B'1'),
    (3, '-Infinity', -1.5, '-Infinity', '-Infinity', 0, 0, '0.01', 1, NULL, NULL, NULL),
    (4, 123456789012345678901234567890.123456789012345678901234567890, 0, '-0', '-0', 1, 1, NULL, NULL, true, B'11111', repeat('10', 100)::varbit),
    (5, 1e-1000, 0.0000000001, 1e-45, 4.9e-324, 1, 1, NULL, NULL, true, NULL, NULL),
    (6, 1e1000, 99999999999999999999.9999999999, 3.4028235e38, 1.7976931348623157e308, 1, 1, NULL, NULL, true, NULL, NULL),
    (7, 1.0, 1, 0.1, 0.1, 1, 1, NULL, NULL, true, NULL, NULL), (8, 1.000, 1, 1/3.0, 1/3.0, 1, 1, NULL, NULL, true, NULL, NULL);
UPDATE numbers SET n = n * 3, f = f, d = -d;
UPDATE numbers SET n = 1.00000 WHERE id = 7;
DELETE FROM numbers WHERE id = 8;

-- name: numbers as keys
CREATE TABLE number_keys (a numeric, b double precision, v text, PRIMARY KEY (a, b));
INSERT INTO number_keys VALUES (1.0, '-0', 'a'), ('NaN', 'NaN', 'b'), ('Infinity', 1e-310, 'c'), (2.50, 0.1, 'd');
UPDATE number_keys SET a = 1.000, b = '0', v = 'changed' WHERE v = 'a';
UPDATE number_keys SET v = v || '!';
DELETE FROM number_keys WHERE v = 'b!';

-- name: texts
CREATE TABLE texts (id text PRIMARY KEY, c char(10), v varchar(20), b bytea, n name, "char" "char", j json, jb jsonb, u uuid, x xml, ts tsvector, tq tsquery, jp jsonpath);

-- name: texts of its own
INSERT INTO texts VALUES ('own', '', 'NULL', '', 'name', 'c', 'null', 'null', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'text <b/> text',
    to_tsvector('english', 'the "quick" brown fox''s'), to_tsquery('fox & (brown | quick:*)'), '$.a[*] ? (@ > 1)');
INSERT INTO texts (id) VALUES (' '), (E'\t');
UPDATE texts SET j = '{"a" :  1.0, "a":"\u00e4\ud83d\ude00"}', jb = '{"b": [1.50, null, "ü\""], "a": 1e5}', x = '<a b="1"><!-- , --><![CDATA["()\]]>ü</a>'
    WHERE id LIKE 'plane%';

-- name: character sets
-- not here: a database has one encoding, and Multimed wants that to be UTF8

-- name: bytes
CREATE TABLE bytes (id bytea PRIMARY KEY, b bytea);

-- name: bytes of its own
-- not here: bytea is its only type of bytes

-- name: sessions
-- Each line is what one session has set.
SET datestyle = 'ISO'; SET timezone = 'UTC'; SET intervalstyle = 'postgres'; SET bytea_output = 'hex'; SET extra_float_digits = -5;
SET datestyle = 'ISO, DMY'; SET timezone = 'Asia/Kathmandu'; SET intervalstyle = 'sql_standard'; SET bytea_output = 'escape'; SET extra_float_digits = -5;
SET datestyle = 'ISO, YMD'; SET timezone = 'America/New_York'; SET intervalstyle = 'iso_8601'; SET bytea_output = 'escape'; SET extra_float_digits = -5;
SET datestyle = 'ISO, MDY'; SET timezone = 'Europe/Amsterdam'; SET intervalstyle = 'postgres_verbose'; SET bytea_output = 'hex'; SET extra_float_digits = -5;

-- name: times
CREATE TABLE times (id timestamptz PRIMARY KEY, t timestamp, d date, ti time, tz timetz, i interval, m money, b bytea, f float8);
CREATE TABLE keyless_times (id timestamptz, d date, i interval, m money, b bytea, f float8);

-- name: times in a session
DELETE FROM times;
DELETE FROM keyless_times;
INSERT INTO times SELECT id, id AT TIME ZONE 'UTC', id::date, '23:59:59.999999', '24:00:00+13:45:30',
    make_interval(years => -3, months => 5, days => -7, secs => -0.000001::float8), 12.34, '\x00ff5c27'::bytea, 1/3.0 FROM unnest(ARRAY[
    'infinity', '-infinity', TIMESTAMPTZ '0044-03-15 12:00:00+00 BC', TIMESTAMPTZ '4713-01-01 00:00:00+00 BC',
    TIMESTAMPTZ '294276-12-31 23:59:59.999999+00', TIMESTAMPTZ '1890-01-01 00:00:00+00', TIMESTAMPTZ '2024-03-10 06:30:00.123456+00',
    TIMESTAMPTZ '2024-02-29 00:00:00+00']) id;
UPDATE times SET i = i * 2, tz = '00:00:00-15:59' WHERE id > '2000-01-01 UTC';
INSERT INTO keyless_times SELECT id, d, i, m, b, f FROM times;
INSERT INTO keyless_times SELECT id, d, i, m, b, f FROM times;

-- name: times in the next transaction
UPDATE keyless_times SET f = f + 1 WHERE ctid IN (SELECT min(ctid) FROM keyless_times GROUP BY id);
SET timezone = 'Pacific/Chatham';
UPDATE times SET f = 2 / 3.0 WHERE isfinite(id);

-- name: times of its own
CREATE TABLE outer_times (id timestamptz PRIMARY KEY, t timestamp, d date);
INSERT INTO outer_times VALUES ('2020-01-01 UTC', '-infinity', 'infinity'), ('2020-01-02 UTC', 'infinity', '4713-01-01 BC');
UPDATE outer_times SET id = id + INTERVAL '3 days', t = '-infinity';

-- name: shapes
CREATE TABLE shapes (id int PRIMARY KEY, p point, l line, s lseg, b box, pa path, po polygon, ci circle);
INSERT INTO shapes VALUES
    (1, '(1.1,-0)', '{1,-1,0}', '[(0,0),(1,1e-300)]', '(1,1),(0,0)', '[(0,0),(1,1)]', '((0,0),(1,0),(0,1))', '<(0,0),1.5>'),
    (2, '(NaN,Infinity)', NULL, NULL, NULL, '((0,0),(1,1))', NULL, NULL);
UPDATE shapes SET p = p * point(2, 0) WHERE id = 1;

-- name: addresses and numbers of the engine
CREATE TABLE addresses (id inet PRIMARY KEY, c cidr, m macaddr, m8 macaddr8, lsn pg_lsn, x xid8, snap pg_snapshot);
INSERT INTO addresses VALUES ('10.1.2.3/8', '10.0.0.0/8', '08:00:2b:01:02:03', '08:00:2b:01:02:03:04:05', '16/B374D848', '18446744073709551615', '10:20:10,14,15'),
    ('::ffff:1.2.3.4', '2001:4f8:3:ba::/64', NULL, NULL, NULL, NULL, NULL);
UPDATE addresses SET id = '10.1.2.3/16' WHERE id = '10.1.2.3/8';

-- name: types that users make
CREATE SCHEMA types;
CREATE TYPE types."Mood Ü" AS ENUM ('sad', 'o,k', '"happy"', 'ü\');
CREATE DOMAIN types.positive AS numeric(10, 2) CHECK (VALUE > 0);
CREATE DOMAIN types.moods AS types."Mood Ü"[];
CREATE TYPE types.inner_one AS (a int, "B b" text, m types."Mood Ü");
CREATE TYPE types.outer_one AS (x types.inner_one, list types.inner_one[], p types.positive);
CREATE TYPE types.textrange AS RANGE (subtype = text, collation = "C");
CREATE TABLE types.all_of_them (id int PRIMARY KEY, m types."Mood Ü", ms types."Mood Ü"[], p types.positive, md types.moods, c types.outer_one, cs types.outer_one[],
    tr types.textrange, tm types.textmultirange, i4 int4range, i8 int8multirange, nr numrange, tsr tstzrange, dr datemultirange,
    ia int[], ta text[], fa float8[], ba bytea[], ja jsonb[], tza timestamptz[]);
INSERT INTO types.all_of_them VALUES (1, 'sad', ARRAY['o,k', '"happy"', NULL]::types."Mood Ü"[], 0.01, ARRAY['ü\']::types."Mood Ü"[],
    ROW(ROW(1, '"q" (,)', 'sad'), ARRAY[ROW(NULL, '', NULL), NULL]::types.inner_one[], 5)::types.outer_one, ARRAY[NULL]::types.outer_one[],
    types.textrange('a', 'b,"', '[]'), types.textmultirange(types.textrange('a', 'b'), types.textrange('c', NULL)), '[1,5]', '{[1,2),[5,9)}', '(,1.5]',
    '[2020-01-01 00:00+00,infinity)', '{[2020-01-01,2020-02-01)}',
    '[0:1][-1:0]={{1,2},{3,NULL}}', ARRAY['a"b', NULL, 'NULL', '', '{,}', E'\\'], ARRAY['NaN', '-Infinity', '-0', 0.1]::float8[], ARRAY['\x00'::bytea, NULL],
    ARRAY['{"a": "\""}'::jsonb, 'null'], ARRAY['infinity', '0001-01-01 00:00:00+00 BC']::timestamptz[]);
INSERT INTO types.all_of_them (id, i4, nr, ia, ta) VALUES (2, 'empty', 'empty', '{}', '{}'), (3, NULL, NULL, NULL, NULL);
INSERT INTO types.all_of_them SELECT id + 10, (x.t).m, (x.t).ms, (x.t).p FROM (SELECT id, t FROM types.all_of_them t) x;
UPDATE types.all_of_them SET c.x."B b" = 'deep', ms[5] = 'sad' WHERE id = 1;
CREATE TABLE types.keyed_by_them (m types."Mood Ü", r int4range, a text[], PRIMARY KEY (m, r, a), p types.inner_one);
INSERT INTO types.keyed_by_them VALUES ('o,k', '[1,5]', ARRAY['x,"y', NULL], ROW(1, '', NULL)), ('"happy"', 'empty', '{}', NULL);
UPDATE types.keyed_by_them SET a = array_append(a, 'more'), p.a = 7;
DELETE FROM types.keyed_by_them WHERE m = 'o,k';

-- name: types that only one engine can read
-- refused: regclass
CREATE TABLE catalogue (id int, r regclass);
-- refused: regtype
CREATE TABLE catalogue (id int, r regtype[]);
CREATE TABLE no_catalogue (id int);
-- refused: aclitem
ALTER TABLE no_catalogue ADD COLUMN a aclitem;

-- name: large values
CREATE TABLE large_values (id int PRIMARY KEY, t text, b bytea);
CREATE TABLE large_keyless (t text);

-- name: one of several large rows
DELETE FROM large_keyless WHERE ctid = (SELECT min(ctid) FROM large_keyless);
