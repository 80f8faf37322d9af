-- For CopiedColumnsTest: attributes of columns that decide how the engine reads a value. EngineSql reads this file. The
-- queries of a section must have the same result on satellites as on the master.

-- name: texts
CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE texts_read (id int PRIMARY KEY, c char(5), v varchar(5), f text COLLATE folded, b text COLLATE "C", n name, one "char");
INSERT INTO texts_read VALUES (1, 'ab', 'ab ', 'Ab', 'b', 'x', 'y'), (2, 'ab ', 'ab', 'aB', 'B', 'X', 'z');
SELECT id, length(c), octet_length(c), length(v), c || '|', v || '|', n, one FROM texts_read ORDER BY id;
SELECT id FROM texts_read WHERE f = 'AB' ORDER BY id;
SELECT b FROM texts_read ORDER BY b;
SELECT count(DISTINCT f), count(DISTINCT c) FROM texts_read;

-- name: numbers and times
CREATE TABLE measures (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n numeric(8, 3), m numeric, f real, t timestamp(2), z timestamptz(0), i interval(1), d interval day to second, b bit(5), vb bit varying(9),
    twice int GENERATED ALWAYS AS (n::int * 2) STORED, by_default numeric(4, 2) DEFAULT 1.5);
INSERT INTO measures (n, m, f, t, z, i, d, b, vb) VALUES (1.5, 1.50, 1.1, '2024-01-02 03:04:05.678', '2024-01-02 03:04:05.678+00', '1.26 seconds', '1 day 2 seconds', b'10101', b'101');
SELECT n, m, n::text, f::text, t::text, z = '2024-01-02 03:04:06+00', i::text, d::text, b::text, vb::text, twice, by_default FROM measures;
SELECT n / 3, m / 3, f * 2, t + interval '1 second', b & b'00111', length(vb) FROM measures;

-- name: types of users
CREATE TYPE mood AS ENUM ('low', 'high');
ALTER TYPE mood ADD VALUE 'middle' BEFORE 'high';
CREATE DOMAIN short AS varchar(4);
CREATE TYPE pair AS (a short, b mood[]);
CREATE TABLE mixed (id int PRIMARY KEY, m mood, s short, p pair, a numeric(4, 1)[], r int4range, j json, jb jsonb, x xml);
INSERT INTO mixed VALUES (1, 'middle', 'ab', ROW('cd', ARRAY['high', 'low']::mood[]), '[0:1]={1.25,2}', '[1,4)', '{"b": 1, "a":  2, "a": 3}', '{"b": 1, "a":  2, "a": 3}', '<a/>'),
    (2, 'high', 'ab', NULL, '{}', 'empty', '[]', '[]', NULL), (3, 'low', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
SELECT id, m FROM mixed ORDER BY m;
SELECT id, s, (p).a, (p).b, a::text, r::text, j::text, jb::text, x::text FROM mixed ORDER BY id;
SELECT a[0], array_lower(a, 1), j -> 'a', jb -> 'a' FROM mixed WHERE id = 1;
