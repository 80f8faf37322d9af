-- For CaptureTest: statements, triggers and routines. EngineSql reads this file. The table "series" contains the
-- numbers from 1 to 1000.

-- name: matching and replacing
CREATE TABLE stock (id INT PRIMARY KEY, n INT, u INT UNIQUE);
INSERT INTO stock SELECT i, i, i FROM series WHERE i <= 10;
INSERT INTO stock VALUES (1, 5, 1), (11, 5, 11) ON DUPLICATE KEY UPDATE n = stock.n + VALUES (n), u = stock.u + 100;
REPLACE INTO stock VALUES (2, 20, 2), (12, 12, 12), (13, 13, 5);
INSERT IGNORE INTO stock VALUES (4, 0, 0), (14, 14, 14);
REPLACE INTO stock SELECT id + 5, n, u FROM stock WHERE id IN (3, 4);

-- name: changes within queries
-- not on mysql: it has no RETURNING
CREATE TABLE goods (id INT AUTO_INCREMENT PRIMARY KEY, n INT, note VARCHAR(20));
INSERT INTO goods (n) VALUES (1), (2), (3) RETURNING id;
REPLACE INTO goods VALUES (1, 9, 'replaced') RETURNING id, n;
DELETE FROM goods WHERE n = 2 RETURNING note;

-- name: several tables in one statement
CREATE TABLE owner (id INT PRIMARY KEY, name VARCHAR(20));
CREATE TABLE pet (id INT PRIMARY KEY, owner INT, name VARCHAR(20));
INSERT INTO owner VALUES (1, 'a'), (2, 'b'), (3, 'c');
INSERT INTO pet VALUES (1, 1, 'x'), (2, 2, 'y'), (3, 2, 'z');
UPDATE owner o JOIN pet p ON p.owner = o.id SET p.id = p.id + 10, p.name = CONCAT(o.name, p.name) WHERE o.id < 3;
UPDATE owner o, pet p SET o.name = 'both', p.name = 'both' WHERE p.owner = o.id AND o.id = 1;
DELETE p FROM pet p JOIN owner o ON p.owner = o.id WHERE p.name = 'by';
DELETE o, p FROM owner o LEFT JOIN pet p ON p.owner = o.id WHERE o.id IN (1, 3);

-- name: cascades
CREATE TABLE parent (id INT PRIMARY KEY, v VARCHAR(10));
-- refused: cannot be replicated
CREATE TABLE child (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES parent (id) ON DELETE CASCADE);
DROP TABLE child;
-- refused: cannot be replicated
CREATE TABLE child (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES parent (id) ON UPDATE CASCADE);
DROP TABLE child;
-- refused: cannot be replicated
CREATE TABLE child (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES parent (id) ON DELETE SET NULL);
DROP TABLE child;
CREATE TABLE child (id INT PRIMARY KEY, parent INT NOT NULL, FOREIGN KEY (parent) REFERENCES parent (id) ON DELETE RESTRICT ON UPDATE NO ACTION);
INSERT INTO parent VALUES (1, 'p'), (2, 'p');
INSERT INTO child VALUES (1, 1);
-- fails: 23000
DELETE FROM parent WHERE id IN (2, 1);
UPDATE child SET parent = 2;
DELETE FROM parent WHERE id = 1;

-- name: truncation among other changes
-- It commits by itself.
CREATE TABLE trunk (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(10));
INSERT INTO trunk (v) VALUES ('old'), ('old');
BEGIN;
INSERT INTO trunk (v) VALUES ('before');
TRUNCATE TABLE trunk;
INSERT INTO trunk (v) VALUES ('after');
ROLLBACK;
INSERT INTO trunk (v) VALUES ('again');

-- name: users' triggers
CREATE TABLE account (id INT PRIMARY KEY, n INT, changed TIMESTAMP(6) NULL);
CREATE TABLE audit (id INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(50), n INT, at TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6));
CREATE TABLE total (amount INT);
INSERT INTO total VALUES (0);
CREATE TRIGGER before_insert BEFORE INSERT ON account FOR EACH ROW BEGIN
    INSERT INTO audit (what, n) VALUES ('before INSERT', NEW.n);
    SET NEW.changed = NOW(6), NEW.n = COALESCE(NEW.n, 42) + 1;
    END;
CREATE TRIGGER before_update BEFORE UPDATE ON account FOR EACH ROW BEGIN
    INSERT INTO audit (what, n) VALUES (CONCAT('before UPDATE of ', OLD.n, ' to ', NEW.n), NEW.n);
    SET NEW.changed = NOW(6), NEW.n = NEW.n + 1;
    END;
CREATE TRIGGER after_insert AFTER INSERT ON account FOR EACH ROW UPDATE total SET amount = amount + NEW.n;
CREATE TRIGGER after_update AFTER UPDATE ON account FOR EACH ROW UPDATE total SET amount = amount + NEW.n - OLD.n;
CREATE TRIGGER after_delete AFTER DELETE ON account FOR EACH ROW UPDATE total SET amount = amount - OLD.n;

-- name: triggers that change rows of the same statement
CREATE TABLE tree (id INT PRIMARY KEY, l INT);
CREATE TRIGGER make_room BEFORE INSERT ON tree FOR EACH ROW UPDATE tree SET l = l + 1 WHERE l >= NEW.l;
-- The engine itself says no.
-- fails: HY000
INSERT INTO tree VALUES (1, 1);

-- name: triggers switched off
-- not here: triggers are always on

-- name: rules
-- not here: it has none

-- name: routines that write
CREATE TABLE shelf (id INT PRIMARY KEY, n INT);
CREATE PROCEDURE restock(amount INT) BEGIN
    UPDATE shelf SET n = n + amount;
    INSERT INTO shelf VALUES (100 + amount, 0);
    END;
CREATE FUNCTION take(which INT) RETURNS INT MODIFIES SQL DATA BEGIN
    UPDATE shelf SET n = n - 1 WHERE id = which;
    RETURN (SELECT n FROM shelf WHERE id = which);
    END;

-- name: errors that a block handles
CREATE PROCEDURE handled() BEGIN
    DECLARE i INT DEFAULT 1;
    DECLARE CONTINUE HANDLER FOR SQLEXCEPTION UPDATE noted SET v = 'handled' WHERE id = i;
    WHILE i <= 20 DO
        INSERT INTO noted VALUES (2000 + i, 'block'), (IF(i % 2 = 0, 1, 3000 + i), 'block');
        SET i = i + 1;
    END WHILE;
    END;
CALL handled();

-- name: constraints that wait for the commit
-- not here: constraints are checked row by row

-- name: one of several equal rows
DELETE FROM often_keyless LIMIT 1;

-- name: one row changed in a loop
CREATE PROCEDURE count_up() BEGIN
    DECLARE i INT DEFAULT 0;
    WHILE i < 2000 DO
        UPDATE often SET v = v + 1 WHERE id = 1;
        SET i = i + 1;
    END WHILE;
    END;
BEGIN;
CALL count_up();
COMMIT;

-- name: loading from files
-- refused: the file is not where the engine is
LOAD DATA LOCAL INFILE '/tmp/series' INTO TABLE series;

-- name: writing past Multimed
-- refused: through Multimed only
INSERT INTO closed VALUES (99);
-- refused: through Multimed only
INSERT IGNORE INTO closed VALUES (99);
-- refused: through Multimed only
UPDATE closed SET id = 98;
-- refused: through Multimed only
DELETE FROM closed;
-- refused: through Multimed only
REPLACE INTO closed VALUES (1);
SET sql_mode = '';
-- refused: through Multimed only
INSERT INTO closed VALUES (99);

-- name: a table made while Multimed is away
CREATE TABLE made_past (id INT PRIMARY KEY, v VARCHAR(10));
INSERT INTO made_past VALUES (1, 'a');

-- name: rows of that table
INSERT INTO made_past VALUES (2, 'b');
UPDATE made_past SET v = 'changed', id = id + 10;
