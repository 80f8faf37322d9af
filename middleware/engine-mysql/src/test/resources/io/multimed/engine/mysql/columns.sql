-- For CopiedColumnsTest: attributes of columns and tables that decide how an engine reads a value. EngineSql reads this
-- file. The queries of a section must have the same result on satellites as on the master.

-- name: documents
CREATE TABLE documents (id INT PRIMARY KEY, j JSON, t TEXT CHECK (JSON_VALID(t)), v VARCHAR(60) CHECK (JSON_VALID(v)),
    part TEXT CHECK (JSON_VALID(part) AND part <> 'x'), whole TEXT, nearly TEXT COMMENT 'CHECK (json_valid(`nearly`))', CHECK (JSON_VALID(whole)));
INSERT INTO documents VALUES (1, '["a"]', '["a"]', '["a"]', '["a"]', '["a"]', '["a"]'), (2, NULL, NULL, NULL, NULL, NULL, NULL);
SELECT JSON_OBJECT('x', j) FROM documents ORDER BY id;
SELECT JSON_ARRAY(t, v, part, whole, nearly) FROM documents ORDER BY id;
SELECT JSON_ARRAYAGG(j), JSON_OBJECTAGG(id, t) FROM documents WHERE id = 1;

-- name: documents that are none
-- not on mysql: its type JSON refuses them
CREATE TABLE no_documents (id INT PRIMARY KEY, j JSON, v VARCHAR(9), b BLOB CHECK (JSON_VALID(b)));
INSERT INTO no_documents VALUES (1, '[]', 'a', '[2]');
SET check_constraint_checks = OFF;
INSERT INTO no_documents VALUES (2, '["a', 'b', '[3');
UPDATE no_documents SET j = '{' WHERE id = 1;
CREATE INDEX no_documents_v ON no_documents (v);
SET check_constraint_checks = ON;
SELECT id, j, v, b FROM no_documents ORDER BY id;
SELECT JSON_OBJECT('x', b) FROM no_documents WHERE id = 1;

-- name: decimal numbers in documents
-- not on mariadb: its documents are texts
CREATE TABLE exact (id INT PRIMARY KEY, j JSON);
INSERT INTO exact VALUES (1, JSON_OBJECT('price', 1.10, 'a"ü\\b', JSON_ARRAY(1, 2.50, 'x [1.10] \\"', JSON_OBJECT('', 12345678901234567890.123456789, 'e', JSON_OBJECT())), 'd', 1.5e0)),
    (2, CAST(1.10 AS JSON)), (3, JSON_ARRAY(-0.10, 0.1, 1e300, 123456789012345678901234567890, 18446744073709551615, true, null, JSON_ARRAY())), (4, '[1.10, 1.0, -0.0, 100000.0]'),
    (5, JSON_OBJECT('p', 1.10, 'long', REPEAT('ü', 600000))), (6, JSON_ARRAY(0.000000000000000000000000000010, CAST('10:11:12' AS TIME), x'00ff')), (7, '{}');
UPDATE exact SET j = JSON_SET(j, '$.price', 9.90, '$.new', JSON_ARRAY(7.0, 0.00)) WHERE id IN (1, 7);
SELECT id, j FROM exact WHERE id <> 5 ORDER BY id;
SELECT LENGTH(j), j->'$.p', SHA2(j, 256) FROM exact WHERE id = 5;
SELECT j->>'$.price', JSON_EXTRACT(j, '$."a\\"ü\\\\b"[3]') FROM exact WHERE id = 1;

-- name: documents in a renamed column
CREATE TABLE renamed (id INT PRIMARY KEY, j JSON, v VARCHAR(9));
INSERT INTO renamed VALUES (1, '["a"]', 'b');
ALTER TABLE renamed CHANGE COLUMN j `j x` JSON, ADD COLUMN `k ``x` INT, ADD COLUMN k JSON DEFAULT ('[1]');
CREATE INDEX renamed_v ON renamed (v);
SELECT JSON_OBJECT('x', `j x`, 'y', k) FROM renamed;

-- name: values of enumerations
CREATE TABLE enumerations (id INT PRIMARY KEY, e ENUM('x\\y', 'n\nl', 'q''r', 'z\0', '"', '`', ' a'), s SET('a\\', 'b''', 'c\n  KEY `k` (`id`)\n') NOT NULL DEFAULT 'b''',
    b ENUM('a', 'b') CHARACTER SET binary, l ENUM('ä', 'ö') CHARACTER SET latin1, c ENUM('€', 'b') CHARACTER SET cp1251, q ENUM('?', 'yes'));
INSERT INTO enumerations VALUES (1, 1, 1, 1, 1, 1, 1), (2, 2, 2, 2, 2, 2, 2), (3, 3, 7, 1, 1, 1, 1), (4, 4, 0, 1, 1, 1, 1), (5, 5, 1, 1, 1, 1, 1), (6, 6, 1, 1, 1, 1, 1), (7, 7, 4, 1, 1, 1, 1);
SELECT id, HEX(e), HEX(s), HEX(b), HEX(l), HEX(c), HEX(q), e + 0, s + 0 FROM enumerations ORDER BY id;
SELECT id, e, s, b, l, c, q FROM enumerations ORDER BY id;

-- name: values of enumerations beyond the catalog's character set
CREATE TABLE beyond (id INT NOT NULL, e ENUM('😀', '?', '😀''\\', 'b') CHARACTER SET utf8mb4, s SET('😀', 'é', '?') CHARACTER SET utf16 NOT NULL, v INT);
INSERT INTO beyond VALUES (1, '😀', '😀,é', 0), (2, '?', '?', 0), (3, 3, '', 0), (4, 'b', '😀,é,?', 0);
UPDATE beyond SET v = v + 1;
SELECT id, HEX(e), HEX(s), e, s, v FROM beyond ORDER BY id;
SELECT id FROM beyond WHERE e = '😀';

-- name: zero dates in hidden columns
SET sql_mode = '';
CREATE TABLE hidden_dates (id INT PRIMARY KEY, d DATE NOT NULL DEFAULT '2020-01-01' INVISIBLE, dt DATETIME(3) NOT NULL DEFAULT '2020-01-01' INVISIBLE,
    ts TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP INVISIBLE, s VARCHAR(5) NOT NULL DEFAULT 'x' INVISIBLE, e ENUM('a', 'b') NOT NULL DEFAULT 'b' INVISIBLE);
INSERT INTO hidden_dates (id, d, dt) VALUES (1, '0000-00-00', '0000-00-00'), (2, '2021-02-03', '2021-02-03');
SET sql_mode = DEFAULT;
SELECT id FROM hidden_dates WHERE d IS NULL;
SELECT id FROM hidden_dates WHERE dt IS NULL;
SELECT id, s, e FROM hidden_dates ORDER BY id;
SELECT * FROM hidden_dates ORDER BY id;

-- name: hidden keys
CREATE TABLE hidden_keys (id INT AUTO_INCREMENT INVISIBLE PRIMARY KEY, v INT);
INSERT INTO hidden_keys (v) VALUES (7), (8);
UPDATE hidden_keys SET v = 9 WHERE id = 2;
SELECT * FROM hidden_keys ORDER BY v;
SELECT id, v FROM hidden_keys ORDER BY v;

-- name: partitions by texts
CREATE TABLE parts (a VARCHAR(10), id INT) PARTITION BY LIST COLUMNS (a) (PARTITION p1 VALUES IN ('x\\y', 'a''b'), PARTITION p2 VALUES IN ('c', '\n'));
INSERT INTO parts VALUES ('x\\y', 1), ('a''b', 2), ('c', 3), ('\n', 4);
SELECT id, HEX(a) FROM parts ORDER BY id;

-- name: comments and defaults that look like definitions
CREATE TABLE remarks (id INT PRIMARY KEY COMMENT 'a\n  KEY `i` (`id`),\n b\\c', x VARCHAR(10) DEFAULT 'p\\q', y VARCHAR(9) GENERATED ALWAYS AS (CONCAT(LEFT(x, 5), '\\')) VIRTUAL,
    KEY xx (x(3)) COMMENT 'u\\v'' "', UNIQUE KEY yy (y)) COMMENT 'q\n) ENGINE=MyISAM\\';
INSERT INTO remarks (id) VALUES (1);
INSERT INTO remarks (id, x) VALUES (2, 'z');
CREATE INDEX zz ON remarks (y, x) COMMENT 'w\\''';
SELECT id, x, y FROM remarks ORDER BY id;

-- name: collations of MariaDB
-- not on mysql: it does not have them
CREATE TABLE uca (id INT PRIMARY KEY, a VARCHAR(10), b VARCHAR(10) COLLATE utf8mb4_uca1400_as_cs, c CHAR(5) CHARACTER SET ucs2 COLLATE ucs2_uca1400_nopad_ai_ci) COLLATE utf8mb4_uca1400_ai_ci;
INSERT INTO uca VALUES (1, 'é', 'é', 'x'), (2, 'E', 'E', 'y');
SELECT id FROM uca WHERE a = 'e' ORDER BY id;
SELECT id FROM uca WHERE b = 'e' ORDER BY id;
SELECT id, c FROM uca WHERE c = 'X';

-- name: collations
CREATE TABLE collations (id INT PRIMARY KEY, a VARCHAR(10), b VARCHAR(10) COLLATE utf8mb4_bin, c CHAR(5) CHARACTER SET latin2 COLLATE latin2_czech_cs, d TEXT CHARACTER SET ucs2, n NCHAR(4)) COLLATE utf8mb4_unicode_520_ci;
INSERT INTO collations VALUES (1, 'é', 'é', 'č', 'x', 'ñ'), (2, 'E', 'E', 'd', 'y', 'n');
SELECT id FROM collations WHERE a = 'e' ORDER BY id;
SELECT id FROM collations WHERE b = 'e' ORDER BY id;
SELECT id, c, d, n FROM collations ORDER BY c;
SELECT id FROM collations WHERE n = 'N' ORDER BY id;

-- name: numbers and times
CREATE TABLE measures (id SERIAL, z INT(6) ZEROFILL, f FLOAT(7, 3), d DOUBLE(8, 2), e DECIMAL(10, 4) UNSIGNED, y YEAR, b BIT(5), bo BOOLEAN, i TINYINT(3) UNSIGNED,
    dt DATETIME(3), ts TIMESTAMP(6) NULL, t TIME(2), bin BINARY(4), vb VARBINARY(9));
INSERT INTO measures VALUES (1, 42, 1.5, 2.25, 12.5, 2024, b'10101', TRUE, 200, '2024-01-02 03:04:05.678', '2024-01-02 03:04:05.678901', '-11:12:13.45', 'zz', 'xy');
SELECT id, z + 0, f, d, e, y, b, bo, i, dt, ts, t, bin, vb FROM measures;
SELECT CONCAT(z), CONCAT(f), CONCAT(d), CONCAT(e), y + 0, b + 0, HEX(bin), LENGTH(bin), CONCAT(dt), ts + 0, CONCAT(t), ~i, i - 1 FROM measures;
SELECT MAX(z), SUM(f), AVG(d), SUM(e), MAX(y), MIN(b), MAX(t), MAX(bin) FROM measures;

-- name: types of MariaDB
-- not on mysql: it does not have them
CREATE TABLE types (id INT PRIMARY KEY, c VARCHAR(20) COMPRESSED CHARACTER SET latin1, t TEXT COMPRESSED, six INET6, four INET4, u UUID, p POINT REF_SYSTEM_ID = 101,
    hidden UUID NOT NULL DEFAULT UUID() INVISIBLE, l TEXT, UNIQUE KEY (l), UNIQUE KEY (six)) ROW_FORMAT = COMPRESSED;
INSERT INTO types (id, c, t, six, four, u, p) VALUES (1, 'aé', 'b', '::1', '1.2.3.4', '123e4567-e89b-12d3-a456-426655440000', Point(1, 2));
SELECT c, HEX(c), LENGTH(t), six, HEX(six), four, u, HEX(u), CONCAT(u, six, four), ST_SRID(p), HEX(p), hidden FROM types;
SELECT MAX(u), MIN(six), MAX(four) FROM types;

-- name: types of MySQL
-- not on mariadb: it does not have them
CREATE TABLE types (id INT PRIMARY KEY, p POINT NOT NULL SRID 4326, g GEOMETRY, v VECTOR(3), x VARCHAR(20), j JSON, h JSON NOT NULL DEFAULT (JSON_ARRAY()) INVISIBLE,
    SPATIAL KEY (p), UNIQUE KEY f ((CONCAT(x, 'a\\b'))), KEY several ((CAST(j AS UNSIGNED ARRAY))), KEY down (x DESC));
INSERT INTO types (id, p, g, v, x, j) VALUES (1, ST_GeomFromText('POINT(1 2)', 4326), ST_GeomFromText('POINT(3 4)'), STRING_TO_VECTOR('[1,2,3]'), 'x', '[1, 2]');
SELECT ST_SRID(p), ST_AsText(p), ST_SRID(g), HEX(g), HEX(v), x, j, h FROM types;
SELECT JSON_OBJECT('j', j, 'h', h) FROM types;
