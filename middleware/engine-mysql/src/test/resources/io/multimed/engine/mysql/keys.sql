-- Keys of updatable results: the types of key columns, and for each of them the values of several rows. The session's
-- time zone is Europe/Berlin. A value with "fails" does not identify its row: the driver must refuse to change it.

-- name: setup

-- name: duplicates
-- not here: a key is unique

-- name: generated keys
CREATE TABLE made_number (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20));
CREATE TABLE made_uuid (id CHAR(36) DEFAULT (UUID()) PRIMARY KEY, v VARCHAR(20));
-- Equal to the last number that the other table has generated, if the engine compares it with a number.
INSERT INTO made_uuid VALUES ('2-decoy', 'other');

-- name: TINYINT
-128;
127;

-- name: TINYINT(1)
0;
1;
5;

-- name: TINYINT UNSIGNED
0;
255;

-- name: SMALLINT UNSIGNED
0;
65535;

-- name: MEDIUMINT UNSIGNED
0;
16777215;

-- name: INT
-2147483648;
2147483647;

-- name: INT UNSIGNED
1;
2147483648;
4294967295;

-- name: INT(10) UNSIGNED ZEROFILL
1;
4294967295;

-- name: BIGINT
-9223372036854775808;
9223372036854775807;

-- name: BIGINT UNSIGNED
1;
9223372036854775807;
9223372036854775808;
18446744073709551615;

-- name: DECIMAL(6,2)
0.1;
-9999.99;

-- name: DECIMAL(38,10)
1234567890123456789012345678.0123456789;
0.0000000001;

-- name: FLOAT
-- The engine shows both as 0.123457.
-- fails: 0A000
0.123457;
-- fails: 0A000
0.1234567;

-- name: DOUBLE
0.1;
0.30000000000000004;
1e300;
-1.7976931348623157e308;

-- name: BIT(1)
b'0';
b'1';

-- name: BIT(8)
b'0';
b'110000';
b'11111111';

-- name: BIT(64)
b'1';
b'1111111111111111111111111111111111111111111111111111111111111111';

-- name: CHAR(10)
'a';
' a';
'b   ';

-- name: VARCHAR(20)
'';
'a';
'it''s "q"';
'ä€';
'5';
'5a';
'05';

-- name: VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci
'Strasse';
'b';

-- name: VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
'a';
'A';
'😀';

-- name: VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_german1_ci
'ä';
'b';

-- name: VARCHAR(20) CHARACTER SET utf16
'ä';
'b';

-- name: BINARY(5)
'a';
x'00ff';
x'0000000000';

-- name: VARBINARY(20)
'a';
x'00ff27';
x'';

-- name: DATE
'2024-02-29';
'1000-01-01';
'9999-12-31';

-- name: TIME
'00:00:00';
'-838:59:59';
'838:59:59';

-- name: TIME(6)
'12:34:56.000001';
'12:34:56.000002';

-- name: DATETIME
'2024-10-27 02:30:00';
'1000-01-01 00:00:00';

-- name: DATETIME(6)
'2024-10-27 02:30:00.000001';
'2024-10-27 02:30:00.000002';

-- name: TIMESTAMP
'2024-07-01 12:00:00';
'1970-01-02 00:00:00';
'1970-01-01 03:00:01';

-- name: TIMESTAMP(3)
'2024-07-01 12:00:00.001';
'2024-07-01 12:00:00.002';

-- name: YEAR
2024;
1901;

-- name: ENUM('a', 'b', 'B2', '5')
'a';
'B2';
'5';

-- name: SET('a', 'b', 'c')
'';
'a,c';

-- name: UUID
-- not on mysql: no such type
'00000000-0000-0000-0000-000000000001';
'ffffffff-ffff-ffff-ffff-ffffffffffff';

-- name: INET6
-- not on mysql: no such type
'::1';
'2001:db8::ff00:42:8329';
