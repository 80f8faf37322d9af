-- For CaptureTest: values of every kind. EngineSql reads this file. The table "series" contains the
-- numbers from 1 to 1000.

-- name: numbers
CREATE TABLE numbers (id INT AUTO_INCREMENT PRIMARY KEY, t TINYINT, tu TINYINT UNSIGNED, s SMALLINT, m MEDIUMINT, b BIGINT, bu BIGINT UNSIGNED,
    d DECIMAL(65, 30), d0 DECIMAL(5), f FLOAT, db DOUBLE, bits BIT(64), bit1 BIT, yes BOOLEAN, y YEAR);
INSERT INTO numbers VALUES
    (1, -128, 255, -32768, -8388608, -9223372036854775808, 18446744073709551615, -12345678901234567890123456789012345.123456789012345678901234567890, -99999,
        3.4028234e38, 1.7976931348623157e308, b'1000000000000000000000000000000000000000000000000000000000000001', b'1', TRUE, 1901),
    (2, 127, 0, 32767, 8388607, 9223372036854775807, 0, 0.000000000000000000000000000001, 0, 1.17549435e-38, 4.9e-324, 0, b'0', FALSE, 2155),
    (3, 0, 1, 0, 0, 0, 9223372036854775808, 1, 1, 0.1, 0.1, 255, b'1', 2, 0),
    (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, -0e0, -0e0, NULL, NULL, NULL, NULL),
    (5, 1, 1, 1, 1, 1, 1, 1, 1, 16777217, 123456789.123456789, 1, b'0', 1, 2000);
INSERT INTO numbers (f, db) VALUES (1/3.0, 1/3.0), (1e-10, 1e-10);
UPDATE numbers SET f = f * 3, db = -db, bits = bits + 1 WHERE id IN (3, 5);
DELETE FROM numbers WHERE id = 2;

-- name: numbers as keys
CREATE TABLE float_keys (f FLOAT, d DOUBLE, b BIT(40), v VARCHAR(10), PRIMARY KEY (f, d, b));
INSERT INTO float_keys VALUES (0.1, 0.1, 7, 'a'), (-0e0, 1e-310, 0, 'b'), (16777216, 4.9e-324, 1, 'c');
UPDATE float_keys SET v = CONCAT(v, '!');
UPDATE float_keys SET f = f * 2, b = b + 1 WHERE v = 'a!';
DELETE FROM float_keys WHERE v = 'c!';

-- name: texts
CREATE TABLE texts (id VARCHAR(50) PRIMARY KEY, c CHAR(10), v VARCHAR(20), b VARBINARY(300), e ENUM ('a', 'ö', ''), st SET ('x', 'y', 'z'), j JSON, mt MEDIUMTEXT, lt LONGTEXT);

-- name: texts of its own
INSERT INTO texts (id, c, v) VALUES ('a ', ' b ', ' c '), ('with a \0', '\0', '\\');
INSERT INTO texts (id, e, st, j) VALUES ('e', '', '', 'null'), ('f', 3, 7, '{}'), ('g', NULL, NULL, '"text"');
INSERT INTO texts (id, j) VALUES ('json', '{"a" : 1.50, "ü": [1e5, null, "😀"]}');
INSERT IGNORE INTO texts (id, e) VALUES ('wrong', 'no such value');
UPDATE texts SET v = 'changed', st = 'y', mt = 'some', lt = 'more' WHERE id = 'e';
UPDATE IGNORE texts SET e = 'none' WHERE id = 'f';
DELETE FROM texts WHERE id = 'g';

-- name: character sets
CREATE TABLE sets (id VARCHAR(60) PRIMARY KEY, c CHAR(10), l1 VARCHAR(20) CHARACTER SET latin1, u2 VARCHAR(20) CHARACTER SET ucs2, u16 TEXT CHARACTER SET utf16,
    u32 VARCHAR(20) CHARACTER SET utf32, sj VARCHAR(20) CHARACTER SET sjis, gb VARCHAR(20) CHARACTER SET gbk, big VARCHAR(20) CHARACTER SET big5,
    k8 VARCHAR(20) CHARACTER SET koi8r, bin VARCHAR(20) COLLATE utf8mb4_bin);
INSERT INTO sets VALUES (CONCAT('1\t\n\r\\"''(),{}%_\0', CHAR(1, 127 USING utf8mb4)), 'ä', 'äöÿ€', 'äŁЖ', CONCAT('😀ä\t\n\r\\"''(),{}%_\0', CHAR(1, 127 USING utf8mb4)),
    '😀x', 'アイ', '中文', '中文', 'Жж', 'A a');
INSERT INTO sets (id, c, bin) VALUES ('', '', ''), ('NULL', 'NULL', '-'), ('a ', ' b ', ' c '), ('5 -', '\\', '''');
UPDATE sets SET id = CONCAT(id, '2'), l1 = CONCAT(l1, 'é'), sj = CONCAT(sj, 'ウ') WHERE id LIKE '1%';
DELETE FROM sets WHERE id = 'NULL';

-- name: bytes
CREATE TABLE bytes (id VARBINARY(20) PRIMARY KEY, b BLOB);

-- name: bytes of its own
CREATE TABLE kinds_of_bytes (id VARBINARY(20) PRIMARY KEY, b BINARY(5), vb VARBINARY(20), tb TINYBLOB, bl BLOB, lb LONGBLOB);
INSERT INTO kinds_of_bytes VALUES (x'00275cff', x'01', x'0000', x'', x'00ff', x'ff00');
INSERT INTO kinds_of_bytes (id) VALUES (x''), (x'00'), (x'0000');
UPDATE kinds_of_bytes SET b = x'ff', vb = NULL WHERE id = x'00';
UPDATE kinds_of_bytes SET id = x'01', tb = x'00' WHERE id = x'0000';
DELETE FROM kinds_of_bytes WHERE id = x'';

-- name: sessions
-- Each line is what one session has set.
SET time_zone = '+00:00';
SET time_zone = '+05:45', sql_mode = '', lc_time_names = 'de_DE';
SET time_zone = '-05:00', sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES', div_precision_increment = 1;
SET time_zone = '+13:00', sql_mode = 'PAD_CHAR_TO_FULL_LENGTH,NO_UNSIGNED_SUBTRACTION';

-- name: times
CREATE TABLE times (id TIMESTAMP(6) PRIMARY KEY, d DATE, t TIME(6), dt DATETIME(3), ts TIMESTAMP NULL, y YEAR, c CHAR(5), u INT UNSIGNED, f FLOAT);
CREATE TABLE keyless_times (id TIMESTAMP(6), d DATE, t TIME(6), c CHAR(5), f DOUBLE);

-- name: times in a session
DELETE FROM times;
DELETE FROM keyless_times;
INSERT IGNORE INTO times VALUES ('2024-10-27 00:30:00.123456', '2024-02-29', '-838:59:59', '9999-12-31 23:59:59.999', '2038-01-18 00:00:00', 2155, 'a\b', 7, 1/3),
    ('1970-01-02 00:00:01', '0000-00-00', '23:59:59.999999', '1000-01-01 00:00:00', '2024-03-31 02:30:00', 0, ' b', 0, 0.1),
    ('2024-10-27 01:30:00.5', '2024-02-00', '00:00:00.000001', '0000-00-00', '0000-00-00', NULL, '', 4294967295, -1e-10);
UPDATE times SET ts = '2020-02-29 12:00:00', dt = '2020-02-29 12:00:00.5', d = DATE_ADD(d, INTERVAL 1 DAY) WHERE u = 7;
INSERT IGNORE INTO keyless_times SELECT id, d, t, c, f FROM times;
INSERT IGNORE INTO keyless_times SELECT id, d, t, c, f FROM times;

-- name: times in the next transaction
UPDATE keyless_times SET f = f + 1 LIMIT 1;
SET time_zone = '-12:00';
UPDATE IGNORE times SET f = 2 / 3, id = id + INTERVAL 1 SECOND;

-- name: times of its own
CREATE TABLE outer_times (id INT PRIMARY KEY, d DATE, t TIME(6), t0 TIME, dt DATETIME(3), dt0 DATETIME, ts TIMESTAMP(6) NULL, ts0 TIMESTAMP NOT NULL);
INSERT INTO outer_times VALUES
    (1, '9999-12-31', '-838:59:59', '838:59:59', '9999-12-31 23:59:59.999', '1000-01-01 00:00:00', '2024-10-27 02:30:00.123456', '2038-01-19 03:14:07'),
    (2, NULL, '00:00:00.000001', '-00:00:01', NULL, NULL, NULL, '1970-01-01 00:00:01');
INSERT IGNORE INTO outer_times VALUES (3, '0000-00-00', NULL, NULL, '0000-00-00', '0000-00-00', '0000-00-00', '0000-00-00');
UPDATE outer_times SET ts = '2020-02-29 12:00:00', dt = '2020-02-29 12:00:00.5' WHERE id = 1;
CREATE TABLE time_keys (ts TIMESTAMP(6), dt DATETIME(6), t TIME(3), d DATE, y YEAR, v INT, PRIMARY KEY (ts, dt, t, d, y));
INSERT INTO time_keys VALUES ('2024-10-27 00:30:00.5', '2024-10-27 00:30:00.5', '-10:00:00.25', '2024-02-29', 2024, 1);
UPDATE time_keys SET v = 2;
UPDATE time_keys SET ts = '2024-10-27 01:30:00.000001', t = '23:59:59.999';

-- name: shapes
CREATE TABLE shapes (id INT PRIMARY KEY, g GEOMETRY, p POINT NOT NULL, l LINESTRING, SPATIAL KEY (p));
INSERT INTO shapes VALUES (1, ST_GeomFromText('POINT(1 2)', 4326), ST_GeomFromText('POINT(1.5 -2.5)'), ST_GeomFromText('LINESTRING(0 0, 1 1, 2 3)'));
INSERT INTO shapes VALUES (2, ST_GeomFromText('POLYGON((0 0, 10 0, 10 10, 0 0))'), ST_GeomFromText('POINT(0 0)'), NULL);
UPDATE shapes SET p = ST_GeomFromText('POINT(7 7)') WHERE id = 2;

-- name: addresses and numbers of the engine
-- not on mysql: it has no such types
CREATE TABLE addresses (id INET6 PRIMARY KEY, a INET4, u UUID);
INSERT INTO addresses VALUES ('::ffff:1.2.3.4', '10.1.2.3', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'), ('2001:4f8:3:ba::1', NULL, UUID());
UPDATE addresses SET id = '::1', a = '255.255.255.255' WHERE u = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';

-- name: types that users make
-- not here: users make no types

-- name: types that only one engine can read
-- not here: no type means a number in an engine's own catalogue

-- name: large values
CREATE TABLE large_values (id INT PRIMARY KEY, t LONGTEXT, b LONGBLOB);
CREATE TABLE large_keyless (t LONGTEXT);

-- name: one of several large rows
DELETE FROM large_keyless LIMIT 1;
