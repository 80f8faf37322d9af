-- Texts for HiddenStatementsTest. <CR>, <LF> and <NUL> are characters; | separates the texts of a batch, && separates
-- texts that are sent one after the other.

-- name: setup
CREATE TABLE other (id int PRIMARY KEY, n int);

-- name: ends
UPDATE entry SET n = 8 WHERE id = 1 -- n | COMMIT;
UPDATE entry SET n = 8 WHERE id = 1 # n | COMMIT;
UPDATE entry SET n = 8 WHERE id = 1 /* n */ | /* n */ COMMIT;
UPDATE entry SET n = 8 WHERE id = 1 -- n | SET autocommit = 1;
UPDATE entry SET n = 8 WHERE id = 1 -- n | CREATE TABLE third (id int);
/*!99999 SELECT */ COMMIT;
/*!50701 SELECT */ COMMIT;
/*M!999999 SELECT */ COMMIT;
/*!999999 SELECT 1, ' */ COMMIT # ';
/*!50701 UPDATE entry SET n = 8 ; SELECT */ COMMIT;
{fn COMMIT};
SET STATEMENT max_statement_time = 9 FOR {fn COMMIT};
IF 1 = 1 THEN COMMIT; END IF;
WHILE 1 = 1 DO COMMIT; END WHILE;
one: LOOP COMMIT; LEAVE one; END LOOP;
BEGIN NOT ATOMIC COMMIT; END;
UPDATE entry SET n = 8<NUL>; COMMIT;
SET sql_mode = 'NO_BACKSLASH_ESCAPES' && UPDATE entry SET n = 8 WHERE 'a' <> '\' OR GET_LOCK('a', 1) -- ';

-- name: trace
SELECT CONCAT(@@SESSION.sql_mode, ' ', COALESCE(@leak, 'none'));

-- name: settings
UPDATE entry SET n = 0 WHERE id = 1 -- n | SET sql_mode = 'ANSI_QUOTES';
BEGIN && SET sql_mode = 'NO_BACKSLASH_ESCAPES';
UPDATE entry SET n = 0 WHERE id = 1 # n | SET sql_mode = 'ANSI_QUOTES';
UPDATE entry SET n = 0 WHERE id = 1 -- n | SET @leak = 'x';
/*!50701 SELECT 1 -- */ SET @leak = 'x';

-- name: one statement
CREATE PROCEDURE put(a int) BEGIN INSERT INTO other VALUES (a, a); DELETE FROM other WHERE id = a; END;
CREATE TRIGGER other_put BEFORE INSERT ON other FOR EACH ROW BEGIN SET NEW.n = 5; SET NEW.n = NEW.n + 1; END;
INSERT INTO other VALUES (1, 1) => SELECT n FROM other => 6;
INSERT INTO other (id) VALUES (2) /* ; COMMIT */ -- ; COMMIT;
INSERT INTO other (id) VALUES (3) # ; COMMIT<CR>;
INSERT INTO other (id, n) VALUES (4, LENGTH('it\'s; COMMIT')) => SELECT 'it\'s; "COMMIT\"' => it's; "COMMIT";
INSERT INTO other (id) /*!40101 VALUES (5) */ => SELECT count(*) FROM other => 5;
