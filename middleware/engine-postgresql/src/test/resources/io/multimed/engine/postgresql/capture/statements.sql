-- For CaptureTest: statements, triggers and routines. EngineSql reads this file. The table "series" contains the
-- numbers from 1 to 1000.

-- name: matching and replacing
CREATE TABLE stock (id int PRIMARY KEY, n int, note text);
INSERT INTO stock SELECT i, i, NULL FROM generate_series(1, 10) i;
INSERT INTO stock VALUES (1, 5), (11, 5) ON CONFLICT (id) DO UPDATE SET n = stock.n + excluded.n;
INSERT INTO stock VALUES (1, 0), (12, 1) ON CONFLICT DO NOTHING;
MERGE INTO stock s USING (VALUES (2, 100), (3, 0), (20, 7)) AS d (id, n) ON s.id = d.id
    WHEN MATCHED AND d.n = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET n = s.n + d.n WHEN NOT MATCHED THEN INSERT VALUES (d.id, d.n, 'merged');

-- name: changes within queries
CREATE TABLE goods (id int PRIMARY KEY, n int, note text);
CREATE TABLE goods_log (at int GENERATED ALWAYS AS IDENTITY, id int, n int);
INSERT INTO goods SELECT i, i, NULL FROM generate_series(1, 12) i;
WITH gone AS (DELETE FROM goods WHERE id BETWEEN 4 AND 6 RETURNING id, n), moved AS (UPDATE goods SET note = 'moved' WHERE id > 8 RETURNING id, n)
    INSERT INTO goods_log (id, n) SELECT * FROM gone UNION ALL SELECT * FROM moved;
WITH d AS (DELETE FROM goods WHERE id = 7 RETURNING *) INSERT INTO goods SELECT id + 100, n, 'new key' FROM d;
INSERT INTO goods VALUES (13, 1) RETURNING id;
DELETE FROM goods WHERE n = 2 RETURNING note;

-- name: several tables in one statement
CREATE TABLE owner (id int PRIMARY KEY, name text);
CREATE TABLE pet (id int PRIMARY KEY, owner int, name text);
INSERT INTO owner VALUES (1, 'a'), (2, 'b'), (3, 'c');
INSERT INTO pet VALUES (1, 1, 'x'), (2, 2, 'y'), (3, 2, 'z');
UPDATE pet p SET id = p.id + 10, name = o.name || p.name FROM owner o WHERE o.id = p.owner AND o.id < 3;
DELETE FROM pet USING owner WHERE owner.id = pet.owner AND pet.name = 'by';
WITH gone AS (DELETE FROM owner WHERE id = 1 RETURNING id) DELETE FROM pet WHERE owner IN (SELECT id FROM gone);

-- name: cascades
CREATE TABLE parent (id int PRIMARY KEY, v text);
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE, v text);
CREATE TABLE grandchild (child int REFERENCES child ON DELETE SET NULL, other int DEFAULT 1 REFERENCES parent ON DELETE SET DEFAULT ON UPDATE SET NULL);
INSERT INTO parent SELECT i, 'p' FROM generate_series(1, 20) i;
INSERT INTO child SELECT i, 1 + i % 20, 'c' FROM generate_series(1, 100) i;
INSERT INTO grandchild SELECT 1 + i % 100, 1 + i % 20 FROM generate_series(1, 300) i;
UPDATE parent SET id = id + 100 WHERE id > 15;
DELETE FROM parent WHERE id BETWEEN 5 AND 10;
DELETE FROM child WHERE id % 9 = 0;

-- name: truncation among other changes
CREATE TABLE trunk (id int PRIMARY KEY, v text);
CREATE TABLE branch (id int PRIMARY KEY, trunk int REFERENCES trunk, v text);
INSERT INTO trunk VALUES (1, 'old'), (2, 'old');
INSERT INTO branch VALUES (1, 2, 'old');
BEGIN;
INSERT INTO branch VALUES (1000, 1, 'before');
TRUNCATE trunk RESTART IDENTITY CASCADE;
INSERT INTO trunk VALUES (1, 'after');
INSERT INTO branch VALUES (1000, 1, 'after');
UPDATE branch SET v = v || '!';
COMMIT;

-- name: users' triggers
CREATE TABLE account (id int PRIMARY KEY, n int, changed timestamptz);
CREATE TABLE audit (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, what text, n int, at timestamptz DEFAULT clock_timestamp());
CREATE TABLE total (amount int);
INSERT INTO total VALUES (0);
CREATE FUNCTION before_account() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.n = 13 THEN RETURN NULL; END IF;
    INSERT INTO audit (what, n) VALUES ('before ' || TG_OP, NEW.n);
    NEW.changed := clock_timestamp(); NEW.n := NEW.n + 1; RETURN NEW; END $$;
CREATE FUNCTION after_account() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE total SET amount = (SELECT sum(n) FROM account); RETURN NULL; END $$;
CREATE FUNCTION late_account() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit (what, n) VALUES ('late', (SELECT count(*) FROM account)); RETURN NULL; END $$;
CREATE TRIGGER a_before BEFORE INSERT OR UPDATE ON account FOR EACH ROW EXECUTE FUNCTION before_account();
CREATE TRIGGER "!!first" AFTER INSERT OR UPDATE OR DELETE ON account FOR EACH ROW EXECUTE FUNCTION after_account();
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON account DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION late_account();
INSERT INTO account VALUES (13, 13, NULL);

-- name: triggers that change rows of the same statement
-- A nested set: each new row makes room by changing rows that the same statement has written already.
CREATE TABLE tree (id int PRIMARY KEY, l int, note text);
CREATE FUNCTION make_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE tree SET l = l + 1 WHERE l >= NEW.l;
    DELETE FROM tree WHERE l > 20;
    RETURN NEW; END $$;
CREATE TRIGGER make_room BEFORE INSERT ON tree FOR EACH ROW EXECUTE FUNCTION make_room();
INSERT INTO tree SELECT i, 1 + i % 3, 'n' FROM generate_series(1, 60) i;
CREATE TABLE keyless_tree (l int);
CREATE FUNCTION make_keyless_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE keyless_tree SET l = l + 1 WHERE l >= NEW.l; RETURN NEW; END $$;
CREATE TRIGGER make_room BEFORE INSERT ON keyless_tree FOR EACH ROW EXECUTE FUNCTION make_keyless_room();
INSERT INTO keyless_tree SELECT 1 + i % 3 FROM generate_series(1, 60) i;

-- name: triggers switched off
CREATE TABLE switched_off (id int PRIMARY KEY);
ALTER TABLE switched_off DISABLE TRIGGER ALL;
INSERT INTO switched_off VALUES (1);
ALTER TABLE switched_off ENABLE TRIGGER ALL;
INSERT INTO switched_off VALUES (2);

-- name: rules
CREATE TABLE ruled (id int PRIMARY KEY, v text);
CREATE TABLE ruled_log (id int, v text);
CREATE RULE noting AS ON UPDATE TO ruled DO ALSO INSERT INTO ruled_log VALUES (OLD.id, OLD.v);
CREATE RULE keeping AS ON DELETE TO ruled DO INSTEAD UPDATE ruled SET v = 'gone' WHERE id = OLD.id;
INSERT INTO ruled VALUES (1, 'a'), (2, 'b');
UPDATE ruled SET v = v || '!';
DELETE FROM ruled WHERE id = 1;

-- name: routines that write
CREATE TABLE shelf (id int PRIMARY KEY, n int);
CREATE PROCEDURE restock(amount int) LANGUAGE plpgsql AS $$ BEGIN
    UPDATE shelf SET n = n + amount;
    INSERT INTO shelf VALUES (100 + amount, 0); END $$;
CREATE FUNCTION take(which int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE remaining int; BEGIN
    UPDATE shelf SET n = n - 1 WHERE id = which RETURNING n INTO remaining;
    RETURN remaining; END $$;

-- name: errors that a block handles
DO $$ BEGIN
    FOR i IN 1 .. 20 LOOP
        BEGIN
            INSERT INTO noted VALUES (2000 + i, 'block'); IF i % 2 = 0 THEN RAISE 'undo'; END IF;
        EXCEPTION WHEN raise_exception THEN UPDATE noted SET v = 'handled' WHERE id = i; END;
    END LOOP; END $$;

-- name: constraints that wait for the commit
CREATE TABLE loops (id int PRIMARY KEY, next int REFERENCES loops DEFERRABLE INITIALLY DEFERRED, u int UNIQUE DEFERRABLE INITIALLY DEFERRED);
BEGIN;
INSERT INTO loops VALUES (1, 2, 1);
INSERT INTO loops VALUES (2, 1, 1);
UPDATE loops SET u = id;
COMMIT;
-- fails: 23503
INSERT INTO loops VALUES (3, 99, 3);
BEGIN;
INSERT INTO loops VALUES (4, 99, 4);
-- fails: 23503
COMMIT;

-- name: one of several equal rows
DELETE FROM often_keyless WHERE ctid = (SELECT min(ctid) FROM often_keyless);

-- name: one row changed in a loop
DO $$ BEGIN FOR i IN 1 .. 2000 LOOP UPDATE often SET v = v + 1 WHERE id = 1; END LOOP; END $$;

-- name: loading from files
-- refused: COPY is not supported through Multimed
COPY series FROM STDIN;
-- refused: COPY is not supported through Multimed
COPY series FROM '/tmp/series';

-- name: writing past Multimed
-- refused: through Multimed only
INSERT INTO closed VALUES (99);
-- refused: through Multimed only
UPDATE closed SET id = 98;
-- refused: through Multimed only
DELETE FROM closed;
-- refused: through Multimed only
TRUNCATE closed;
-- refused: through Multimed only
ALTER TABLE closed ADD COLUMN past int;
SET session_replication_role = replica;
-- refused: through Multimed only
INSERT INTO closed VALUES (99);

-- name: a table made while Multimed is away
-- refused: through Multimed only
CREATE TABLE made_past (id int PRIMARY KEY, v text);

-- name: rows of that table
-- fails: 42P01
INSERT INTO made_past VALUES (2, 'b');
