-- How tests read the tables that they compare: see Copies.

-- name: settings
SET time_zone = '+00:00';
SET SESSION group_concat_max_len = 10000000;

-- name: mark
-- Seeding removes Multimed's own database.
CREATE TABLE IF NOT EXISTS multimed.not_seeded (a INT);

-- name: marks
SHOW TABLES FROM multimed LIKE 'not_seeded';

-- name: tables
-- Name, columns, a query of a digest, a query of all rows. Texts, bytes and geometries are compared as bytes, ENUM and
-- SET also by number, FLOAT with all its digits.
SELECT name, columns_of_it,
    CONCAT('SELECT CONCAT(COUNT(*), '' '', COALESCE(SUM(CAST(CONV(LEFT(SHA2(line, 256), 15), 16, 10) AS UNSIGNED)), 0)) FROM (SELECT ', line, ' AS line FROM ', quoted, ') AS all_lines'),
    CONCAT('SELECT ', line, ' FROM ', quoted, ' ORDER BY 1')
    FROM (
        SELECT name, quoted, GROUP_CONCAT(form ORDER BY place SEPARATOR ', ') AS columns_of_it,
            CONCAT('CONCAT_WS(''|'', ', GROUP_CONCAT('IFNULL(', value, ', ''NULL'')' ORDER BY place SEPARATOR ', '), ')') AS line
            FROM (
                SELECT CONVERT(t.TABLE_NAME USING utf8mb4) COLLATE utf8mb4_bin AS name, CONCAT('`', REPLACE(t.TABLE_NAME, '`', '``'), '`') AS quoted, ORDINAL_POSITION AS place,
                    CONCAT_WS(' ', COLUMN_NAME, COLUMN_TYPE, CHARACTER_SET_NAME, COLLATION_NAME) AS form,
                    REPLACE(CASE
                        WHEN DATA_TYPE = 'float' THEN 'CONCAT(@, '' '', @ * 1e0)'
                        WHEN DATA_TYPE = 'bit' THEN 'BIN(@ + 0)'
                        WHEN DATA_TYPE IN ('enum', 'set') THEN 'CONCAT(HEX(@), '' '', @ + 0)'
                        WHEN NUMERIC_PRECISION IS NOT NULL OR DATETIME_PRECISION IS NOT NULL OR DATA_TYPE IN ('date', 'year') THEN 'CAST(@ AS CHAR)'
                        ELSE 'IF(LENGTH(@) > 200, CONCAT(LENGTH(@), '' bytes '', SHA2(@, 256)), HEX(@))' END,
                        '@', CONCAT('`', REPLACE(COLUMN_NAME, '`', '``'), '`')) AS value
                    FROM information_schema.COLUMNS c JOIN information_schema.TABLES t
                        ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND CAST(t.TABLE_NAME AS BINARY) = CAST(c.TABLE_NAME AS BINARY)
                    WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_TYPE = 'BASE TABLE' AND c.COLUMN_NAME NOT LIKE 'multimed%') AS each_column
            GROUP BY name, quoted) AS each_table
    ORDER BY name;
