-- Texts for HiddenStatementsTest. <CR>, <LF> and <NUL> are characters; | separates the texts of a batch, && separates
-- texts that are sent one after the other.

-- name: setup
CREATE SCHEMA other;
CREATE TABLE other.entry (id int, n int);
GRANT pg_monitor TO CURRENT_USER;
CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1';

-- name: ends
UPDATE entry SET n = 8 WHERE id = 1 -- n | COMMIT;
UPDATE entry SET n = 8 WHERE id = 1 /* n | COMMIT | -- */;
UPDATE entry SET n = 8 WHERE id = 1 --<CR>; COMMIT;
UPDATE entry SET n = 8 WHERE id = 1 -- a<CR>; COMMIT; -- b;
SET LOCAL standard_conforming_strings = off && UPDATE entry SET n = 8 WHERE 'a' <> '\'' ; commit; select '';
SET LOCAL standard_conforming_strings = off && SELECT set_config('a.b', '', true) && UPDATE entry SET n = 8 WHERE 'a' <> '\'' ; commit; select '' || '';
SET LOCAL standard_conforming_strings = off && UPDATE entry SET n = 8 WHERE 'a' <> '\' || '' ' ; commit; select ' ';
SET LOCAL standard_conforming_strings = off; UPDATE entry SET n = 8 WHERE 'a' <> '\'' ; commit; select '';
SELECT E'a'<LF>'\'' ; commit; select '';
SELECT E'a' -- b<CR>'\'' ; commit; select '';
SELECT $a1$ 'a' $a1$ ; commit; select $a1$ 'b' $a1$;
SELECT 1 $€$ ' $€$ ; commit; select $€$ ' $€$;
SELECT /* /* */ ' */ 1 ; commit; select /* ' */ 2;
SELECT 1 +-- '<LF> 1 ; commit; -- ';
{call one(); commit; select (1)};
SELECT {fn ucase('a')}; {fn concat('', '')}; commit;
CREATE FUNCTION f(begin atomic) RETURNS int LANGUAGE sql AS 'SELECT 1'; commit; select 'end';
CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END; commit;
SELECT 1<NUL>; commit;

-- name: trace
SELECT current_setting('search_path') || ' ' || current_user || ' ' || current_setting('role');

-- name: settings
UPDATE entry SET n = 0 WHERE id = 1 -- n | SET search_path TO other;
BEGIN && SET search_path TO other;
UPDATE entry SET n = 0 WHERE id = 1 -- n | SET ROLE pg_monitor;
UPDATE entry SET n = 0 WHERE id = 1 --<CR>; SET search_path TO other;
UPDATE entry SET n = 0 WHERE id = 1 --<CR>; SET ROLE pg_monitor;
UPDATE entry SET n = 0 WHERE id = 1 -- n | SELECT set_config('search_path', 'other', false);

-- name: one statement
CREATE FUNCTION atom(a int) RETURNS int BEGIN ATOMIC SELECT a; SELECT CASE WHEN a > 1 THEN 5 ELSE 6 END; END => SELECT atom(2) => 5;
CREATE OR REPLACE PROCEDURE put(a int) BEGIN ATOMIC INSERT INTO entry VALUES (a, a); DELETE FROM entry WHERE id = a; END; => SELECT count(*) FROM pg_proc WHERE proname = 'put' => 1;
CREATE RULE twice AS ON DELETE TO other.entry DO ALSO (SELECT 1; SELECT 2) => SELECT 'C:\' || E'\'' || '\' => C:\'\;
SELECT 'it''s; commit' -- ; commit;
SELECT $$ ; commit; $$ /* ; commit; /* ; */ ; */;
SELECT 'a'<LF>  'b;'<CR>'c;'<LF>-- ;<LF>'d' => SELECT 1 => 1;
SELECT '{fn ucase(' => SELECT {fn ucase('a')} => A;
