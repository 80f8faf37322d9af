-- Multimed's own schema on the master: the tables that the triggers write, and the procedures that seal WriteSets
-- (paper section 3.2.2, architecture 4.3 and 4.4). Safe to run again at every start: existing WriteSets remain.

CREATE DATABASE IF NOT EXISTS multimed CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row. Satellites have applied all WriteSets up to "scn", whose rows may be deleted. "epoch" identifies the
-- middleware that may update: each middleware that takes over raises the number. "cluster" identifies the history of
-- the data: if it changes, all satellites are seeded again. "forms" counts the forms that tables have had, and provides
-- their ids. "database_name" is the database whose tables are replicated.
CREATE TABLE IF NOT EXISTS multimed.base (
    one TINYINT NOT NULL PRIMARY KEY, scn BIGINT NOT NULL, epoch BIGINT NOT NULL, cluster CHAR(36) NOT NULL, forms BIGINT NOT NULL,
    database_name VARCHAR(64) NOT NULL) ENGINE = InnoDB;
INSERT IGNORE INTO multimed.base VALUES (1, 0, 0, UUID(), 0, '');
UPDATE multimed.base SET database_name = DATABASE();

-- A sealed WriteSet: it is durable if and only if its transaction is. The key is the SCN. "spilled" is 0 for few
-- changes; otherwise it is the maximum number of changes, and they are read piece by piece when they are applied. "ddl"
-- is true if the changes include a schema change. "session_id" and "sequence" are the receipt.
CREATE TABLE IF NOT EXISTS multimed.sealed (
    scn BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, session_id BIGINT NOT NULL, sequence INT NOT NULL,
    transaction_id BIGINT UNSIGNED NOT NULL, spilled BIGINT NOT NULL, ddl BOOLEAN NOT NULL DEFAULT FALSE) ENGINE = InnoDB;

-- The captured changes: rows before and after, written by the triggers in the transaction that changes them, so that an
-- undo of the change (by a savepoint, a statement that fails halfway, a handler in a procedure) also undoes the
-- capture. The kind is R for a row, F for the new form of a table, S for a statement. "n" is a UUID_SHORT, which only
-- grows, so that it orders the changes of a transaction. "relation" is the id of the form.
CREATE TABLE IF NOT EXISTS multimed.captured (
    transaction_id BIGINT UNSIGNED NOT NULL, n BIGINT UNSIGNED NOT NULL, kind CHAR(1) CHARACTER SET ascii NOT NULL, relation BIGINT NOT NULL,
    before_row LONGBLOB, after_row LONGBLOB, PRIMARY KEY (transaction_id, n)) ENGINE = InnoDB;

-- The connections for clients' transactions, by the engine's connection numbers, with the number under which the
-- triggers store the changes of the current or the next transaction of each connection. The place and the size of a
-- WriteSet depend only on tables and on the engine's own numbers, because clients can set session variables.
CREATE TABLE IF NOT EXISTS multimed.session (
    connection BIGINT UNSIGNED NOT NULL PRIMARY KEY, transaction_id BIGINT UNSIGNED NOT NULL) ENGINE = InnoDB;

-- The connections that run as roles of users, with a secret that the middleware and this table know. "seals" is the
-- number of the last seal of the connection: each seal is accepted once.
CREATE TABLE IF NOT EXISTS multimed.role_session (
    connection BIGINT UNSIGNED NOT NULL PRIMARY KEY, secret CHAR(32) CHARACTER SET ascii NOT NULL, seals BIGINT NOT NULL) ENGINE = InnoDB;

-- The tables under capture, in the form that their triggers know. A new form has a new id. While a statement changes a
-- table, satellites do not have the table: it is "away", and satellites ignore its captured rows until its new form
-- arrives with all rows.
CREATE TABLE IF NOT EXISTS multimed.relation (
    id BIGINT NOT NULL PRIMARY KEY, schema_name VARCHAR(64) NOT NULL, table_name VARCHAR(64) NOT NULL, form LONGBLOB NOT NULL, away BOOLEAN NOT NULL,
    UNIQUE KEY (schema_name, table_name)) ENGINE = InnoDB;

-- The views that satellites have, with the statements that create them there and the collation of literals in them.
CREATE TABLE IF NOT EXISTS multimed.told_view (
    name VARCHAR(64) NOT NULL PRIMARY KEY, collation VARCHAR(64) NOT NULL, statement LONGTEXT NOT NULL) ENGINE = InnoDB;

-- Connections that run DDL whose changes are not recorded yet: recording is another transaction. If an entry is left at
-- the start of a middleware, all satellites are seeded again.
CREATE TABLE IF NOT EXISTS multimed.intent (connection BIGINT NOT NULL PRIMARY KEY) ENGINE = InnoDB;

-- The tables and views that statements of clients change, with the middleware's numbers of these statements, until
-- satellites have the change. A table returns to the satellites with the last of its statements. "keeps_rows" is true
-- if the table was not removed from the satellites before the statement.
CREATE TABLE IF NOT EXISTS multimed.changing (
    name VARCHAR(64) NOT NULL, statement BIGINT NOT NULL, keeps_rows BOOLEAN NOT NULL,
    PRIMARY KEY (name, statement)) ENGINE = InnoDB;

-- Settings of this server on which results depend, as satellites have them.
CREATE TABLE IF NOT EXISTS multimed.setting (name VARCHAR(64) NOT NULL PRIMARY KEY, value TEXT NOT NULL) ENGINE = InnoDB;

-- The storage engine's numbers of the tables under capture, by the tables' names in lower case, as Multimed left them.
-- Another number shows that DDL has bypassed Multimed.
CREATE TABLE IF NOT EXISTS multimed.identity (name VARCHAR(64) NOT NULL PRIMARY KEY, identity TEXT NOT NULL) ENGINE = InnoDB;

-- The sealed WriteSets with their changes: one row for each change, or a single row with NULL for a WriteSet that is
-- empty or spilled.
CREATE OR REPLACE VIEW multimed.write_set AS
    SELECT s.scn, s.session_id, s.sequence, s.transaction_id, s.spilled, s.ddl, c.n, c.kind, c.relation, c.before_row, c.after_row
    FROM multimed.sealed s LEFT JOIN multimed.captured c ON c.transaction_id = s.transaction_id AND s.spilled = 0;

-- Both functions always fail. They are not declared deterministic, because an engine may evaluate a deterministic
-- function before it knows whether the value is needed. A trigger of MariaDB also finds no number when KILL QUERY has
-- interrupted the statement, which then fails with the error of the interruption.
DROP FUNCTION IF EXISTS multimed.refuse_direct_write;
CREATE FUNCTION multimed.refuse_direct_write() RETURNS BIGINT READS SQL DATA
BEGIN
    IF EXISTS (SELECT 1 FROM multimed.session s WHERE s.connection = CONNECTION_ID()) THEN
        SIGNAL SQLSTATE '70100' SET MYSQL_ERRNO = 1317, MESSAGE_TEXT = 'Query execution was interrupted';
    END IF;
    SIGNAL SQLSTATE '0A000'
        SET MESSAGE_TEXT = 'this database is updated through Multimed only: a direct write would never reach its satellites';
    RETURN 0;
END;

DROP FUNCTION IF EXISTS multimed.refuse_large_row;
CREATE FUNCTION multimed.refuse_large_row() RETURNS BIGINT NO SQL
BEGIN
    SIGNAL SQLSTATE '0A000'
        SET MESSAGE_TEXT = 'a row larger than max_allowed_packet cannot be replicated: keep the value in several rows, or raise it';
    RETURN 0;
END;

-- Always fails, with the error of KILL QUERY. MariaDB executes a statement of a procedure as one that finds no row if
-- KILL QUERY interrupts the statement while the engine plans it, and then continues with the next statement. The
-- procedures below therefore check each statement that must find a row.
DROP PROCEDURE IF EXISTS multimed.refuse_interrupted;
CREATE PROCEDURE multimed.refuse_interrupted()
BEGIN
    SIGNAL SQLSTATE '70100' SET MYSQL_ERRNO = 1317, MESSAGE_TEXT = 'Query execution was interrupted';
END;

-- Registers a connection for clients' transactions: other middlewares identify it by its number, and the triggers
-- permit its writes. The row is inserted before the epoch is checked, so that a middleware that raises the epoch and
-- then reads the rows finds all of them.
--
-- UUID_SHORT counts from the second in which the server has started. A server that starts twice in one second, or whose
-- clock was set back, would therefore return numbers under which changes are stored already. The procedure skips these
-- numbers. 2^26 numbers are those of 4 seconds, and the server counts them in about 2. SELECT ... INTO reads without
-- locks, a subquery of DECLARE with locks, so that it would wait for open transactions.
DROP PROCEDURE IF EXISTS multimed.register;
CREATE PROCEDURE multimed.register(IN registered BIGINT UNSIGNED, IN mine BIGINT)
BEGIN
    DECLARE here BIGINT UNSIGNED DEFAULT UUID_SHORT();
    DECLARE taken BIGINT UNSIGNED DEFAULT NULL;
    SELECT MAX(c.transaction_id) INTO taken FROM multimed.captured c WHERE c.transaction_id BETWEEN here AND here + 0x4000000;
    IF taken IS NOT NULL THEN
        DO BENCHMARK(taken - here, UUID_SHORT());
    END IF;
    REPLACE INTO multimed.session VALUES (registered, UUID_SHORT());
    COMMIT;
    IF mine <> (SELECT epoch FROM multimed.base) THEN
        SIGNAL SQLSTATE 'MM002' SET MESSAGE_TEXT = 'another middleware has taken over this master: connect to that one';
    END IF;
END;

-- Registers the connection itself.
DROP PROCEDURE IF EXISTS multimed.admit;
CREATE PROCEDURE multimed.admit(IN mine BIGINT)
BEGIN
    CALL multimed.register(CONNECTION_ID(), mine);
    -- Makes the engine report all changes of the session to the middleware.
    SET SESSION session_track_state_change = ON, SESSION session_track_system_variables = '*', SESSION session_track_schema = ON;
END;

-- The same for a connection on which the engine refuses all changes.
DROP PROCEDURE IF EXISTS multimed.admit_reader;
CREATE PROCEDURE multimed.admit_reader(IN mine BIGINT)
BEGIN
    SET SESSION TRANSACTION READ WRITE;
    CALL multimed.admit(mine);
    SET SESSION TRANSACTION READ ONLY;
END;

-- Seals the open transaction's WriteSet under the next SCN, returns it and commits. The SCN is assigned while the
-- transaction holds all its locks, so that of two conflicting transactions the later one has the higher SCN. The rows
-- are read before the commit: if the read is interrupted, the transaction is undone. A transaction without captured
-- changes is sealed, too: it may have written to tables that are not replicated, and a client may ask for its outcome.
-- Few changes are read along their key, and no changes or many are reported in one row: a join for both cases would be
-- sorted in a temporary file for each commit. Of many changes, only the first and the last are read. If the procedure
-- does not end the transaction, the caller first checks whether the transaction may commit. If many transactions commit
-- together, "told" is false: nothing is returned, and one query reads the WriteSets of all of them after the commit.
-- A commit without a new number in multimed.session would add its changes to those of the next transaction.
DROP PROCEDURE IF EXISTS multimed.seal;
CREATE PROCEDURE multimed.seal(IN session_id BIGINT, IN sequence INT, IN told BOOLEAN, IN ends BOOLEAN)
BEGIN
    DECLARE changes, bytes, spilled BIGINT DEFAULT 0;
    DECLARE ddl BOOLEAN DEFAULT FALSE;
    DECLARE scn, remembered BIGINT UNSIGNED DEFAULT LAST_INSERT_ID(); -- the client's value, restored below
    DECLARE mine BIGINT UNSIGNED DEFAULT (SELECT s.transaction_id FROM multimed.session s WHERE s.connection = CONNECTION_ID());
    DECLARE done BIGINT;
    DECLARE EXIT HANDLER FOR 1792 -- a READ ONLY transaction has changed nothing
    BEGIN
        COMMIT;
        IF NOT told THEN
            SELECT NULL AS scn;
        END IF;
    END;
    IF mine IS NULL THEN
        CALL multimed.refuse_interrupted();
    END IF;
    IF @@SESSION.insert_id <> 0 THEN -- the INSERT below would use it as the SCN
        SIGNAL SQLSTATE 'MM003'
            SET MESSAGE_TEXT = 'nothing is committed: the session sets insert_id, by which the commit would be numbered; insert the key itself';
    END IF;
    CALL multimed.measure(mine, 1, changes, spilled);
    IF spilled > 0 THEN -- a WriteSet with a schema change begins with it, and contains no other changes
        SELECT MAX(f.kind <> 'R') INTO ddl FROM (SELECT c.kind FROM multimed.captured c
            WHERE c.transaction_id = mine ORDER BY c.n LIMIT 1) f;
        IF ddl IS NULL THEN
            CALL multimed.refuse_interrupted();
        END IF;
    END IF;
    SET LAST_INSERT_ID = 0; -- remains 0 if the INSERT generates no key
    -- Without changes, the session's next transaction uses the same number: its changes are not those of this SCN.
    INSERT INTO multimed.sealed (session_id, sequence, transaction_id, spilled, ddl)
        VALUES (session_id, sequence, IF(changes > 0, mine, 0), spilled, ddl);
    SET done = ROW_COUNT();
    SET scn = LAST_INSERT_ID();
    IF scn = 0 AND done = 1 THEN -- after SET insert_id = 0, and after a hint, both of which @@insert_id does not show
        SET LAST_INSERT_ID = remembered;
        SIGNAL SQLSTATE 'MM003'
            SET MESSAGE_TEXT = 'nothing is committed: a statement has set insert_id to 0, by which the commit would be numbered';
    END IF;
    IF told AND changes > 0 AND spilled = 0 THEN
        SELECT scn, session_id, sequence, c.transaction_id, 0 AS spilled, FALSE AS ddl, c.n, c.kind, c.relation, c.before_row, c.after_row
            FROM multimed.captured c WHERE c.transaction_id = mine ORDER BY c.n;
    ELSEIF told THEN
        SELECT scn, session_id, sequence, mine AS transaction_id, spilled, ddl, NULL AS kind;
    END IF;
    IF changes > 0 THEN
        UPDATE multimed.session s SET s.transaction_id = UUID_SHORT() WHERE s.connection = CONNECTION_ID();
        SET done = done * ROW_COUNT();
    END IF;
    IF done <> 1 THEN
        CALL multimed.refuse_interrupted();
    END IF;
    SET LAST_INSERT_ID = remembered;
    IF ends THEN
        COMMIT; -- the last step: nothing after it can fail
    END IF;
END;

-- Seals and commits a statement that was sent in the same message (architecture 4.6), unless its client needs more than
-- the message returns: the statement has raised warnings, or generated a key. A statement that has changed no row is
-- not sealed either, because no row may be the effect of a cancel request. The transaction then remains open.
DROP PROCEDURE IF EXISTS multimed.seal_statement;
CREATE PROCEDURE multimed.seal_statement(
    IN session_id BIGINT, IN sequence INT, IN changed BIGINT, IN warnings BIGINT, IN last_key BIGINT UNSIGNED)
BEGIN
    IF changed > 0 AND warnings = 0 AND last_key = 0 THEN
        CALL multimed.seal(session_id, sequence, TRUE, TRUE);
    ELSE
        SIGNAL SQLSTATE 'MM004' SET MESSAGE_TEXT = 'the statement is sealed by another message';
    END IF;
END;

-- Returns the number of changes that a transaction has captured, and the upper bound under which they are spilled: 0 if
-- they are few enough for a commit group of this size. Because the count of an interrupted query can be 0, the
-- procedure confirms a count of 0.
DROP PROCEDURE IF EXISTS multimed.measure;
CREATE PROCEDURE multimed.measure(IN mine BIGINT UNSIGNED, IN members INT, OUT changes BIGINT, OUT spilled BIGINT)
BEGIN
    DECLARE bytes, missed BIGINT DEFAULT 0;
    DECLARE beyond BIGINT UNSIGNED DEFAULT NULL;
    DECLARE few BIGINT DEFAULT 100 * members;
    -- SELECT ... INTO reads without locks, a subquery of SET with locks, so that it would wait for rows of later
    -- transactions.
    SELECT MAX(b.n) INTO beyond FROM (SELECT c.n FROM multimed.captured c WHERE c.transaction_id = mine ORDER BY c.n LIMIT few, 1) b;
    IF beyond IS NULL THEN
        SELECT COUNT(*), SUM(COALESCE(LENGTH(c.before_row), 0) + COALESCE(LENGTH(c.after_row), 0)) INTO changes, bytes
            FROM multimed.captured c WHERE c.transaction_id = mine;
        SET spilled = IF(bytes > 16384 * members, changes, 0);
    ELSE -- at most one change for each number between the ends
        SELECT LEAST(MAX(c.n) - MIN(c.n) + 1, 2147483647) INTO changes
            FROM multimed.captured c WHERE c.transaction_id = mine;
        SET spilled = changes;
    END IF;
    IF changes = 0 THEN
        SELECT COUNT(*) INTO missed FROM multimed.captured c WHERE c.transaction_id = mine;
    END IF;
    IF changes IS NULL OR spilled IS NULL OR missed > 0 OR missed IS NULL THEN
        CALL multimed.refuse_interrupted();
    END IF;
END;

-- Commits a transaction that contains statements of several clients (architecture 4.6). Their rows in "sealed" exist
-- already, one for each statement. The first SCN receives all changes, which are returned. "members" is the number of
-- statements.
DROP PROCEDURE IF EXISTS multimed.seal_together;
CREATE PROCEDURE multimed.seal_together(IN first BIGINT, IN members INT)
BEGIN
    DECLARE changes, kept BIGINT DEFAULT 0;
    DECLARE mine BIGINT UNSIGNED DEFAULT (SELECT s.transaction_id FROM multimed.session s WHERE s.connection = CONNECTION_ID());
    DECLARE done BIGINT DEFAULT 1;
    IF mine IS NULL THEN
        CALL multimed.refuse_interrupted();
    END IF;
    IF first IS NULL OR NOT EXISTS (SELECT 1 FROM multimed.sealed s WHERE s.scn = first AND s.transaction_id = mine) THEN
        SIGNAL SQLSTATE 'MM003' -- a statement has set insert_id to 0, so that the first row has no generated key
            SET MESSAGE_TEXT = 'nothing is committed: a statement has set insert_id to 0, by which the commit would be numbered';
    END IF;
    CALL multimed.measure(mine, members, changes, kept);
    IF kept > 0 THEN
        UPDATE multimed.sealed s SET s.spilled = kept WHERE s.scn = first;
        SET done = ROW_COUNT();
    END IF;
    IF changes > 0 AND kept = 0 THEN
        SELECT first AS scn, 0 AS session_id, 0 AS sequence, c.transaction_id, 0 AS spilled, FALSE AS ddl, c.n, c.kind, c.relation, c.before_row, c.after_row
            FROM multimed.captured c WHERE c.transaction_id = mine ORDER BY c.n;
    ELSE
        SELECT first AS scn, 0 AS session_id, 0 AS sequence, mine AS transaction_id, kept AS spilled, FALSE AS ddl, NULL AS kind;
    END IF;
    UPDATE multimed.session s SET s.transaction_id = UUID_SHORT() WHERE s.connection = CONNECTION_ID();
    IF done * ROW_COUNT() <> 1 THEN
        CALL multimed.refuse_interrupted();
    END IF;
    SET LAST_INSERT_ID = 0; -- the next client's statement must not find the SCN
    COMMIT; -- the last step: nothing after it can fail
END;

-- The procedures that follow are the only objects of Multimed's that accounts of roles may use. They run with the
-- privileges of their definer. Each takes a proof, a hash that contains the secret of the connection: clients that call
-- a procedure themselves have no proof, and a proof that another session of the account sees among the running
-- statements is none for its own connection. Fails with the error of an interruption if the secret is not found.
DROP PROCEDURE IF EXISTS multimed.prove;
CREATE PROCEDURE multimed.prove(IN claim VARCHAR(255) CHARACTER SET ascii, IN proof VARCHAR(64) CHARACTER SET ascii, OUT secret VARCHAR(32) CHARACTER SET ascii)
BEGIN
    SET secret = (SELECT r.secret FROM multimed.role_session r WHERE r.connection = CONNECTION_ID());
    IF secret IS NULL THEN
        CALL multimed.refuse_interrupted();
    END IF;
    IF proof IS NULL OR claim IS NULL OR proof <> SHA2(CONCAT(secret, ':', claim), 256) THEN
        SIGNAL SQLSTATE '42000' SET MYSQL_ERRNO = 1227, MESSAGE_TEXT = 'Access denied: this procedure is Multimed''s own';
    END IF;
END;

-- Seals the transaction of a role. "seal" numbers the seals of the connection, so that none is accepted twice. The
-- receipt is hidden by a key that only this seal has, because other sessions of the account see the statement.
DROP PROCEDURE IF EXISTS multimed.seal_role;
CREATE PROCEDURE multimed.seal_role(
    IN seal BIGINT, IN session_id BIGINT UNSIGNED, IN sequence BIGINT UNSIGNED, IN told BOOLEAN, IN ends BOOLEAN, IN proof VARCHAR(64) CHARACTER SET ascii)
BEGIN
    DECLARE secret VARCHAR(32) CHARACTER SET ascii;
    DECLARE hidden VARCHAR(64) CHARACTER SET ascii;
    DECLARE done BIGINT DEFAULT 0;
    DECLARE EXIT HANDLER FOR 1792 -- a READ ONLY transaction has changed nothing
    BEGIN
        COMMIT;
        IF NOT told THEN
            SELECT NULL AS scn;
        END IF;
    END;
    CALL multimed.prove(CONCAT_WS(':', 'seal', seal, session_id, sequence, told, ends), proof, secret);
    UPDATE multimed.role_session r SET r.seals = seal WHERE r.connection = CONNECTION_ID() AND r.seals < seal;
    SET done = ROW_COUNT();
    IF done <> 1 THEN
        CALL multimed.refuse_interrupted();
    END IF;
    SET hidden = SHA2(CONCAT(secret, ':hidden:', seal), 256);
    CALL multimed.seal(
        CAST(session_id ^ CAST(CONV(LEFT(hidden, 16), 16, 10) AS UNSIGNED) AS SIGNED),
        CAST(sequence ^ CAST(CONV(SUBSTR(hidden, 17, 7), 16, 10) AS UNSIGNED) AS SIGNED), told, ends);
END;

-- Returns the previous versions of the rows that the open transaction of a role has changed. "seal" is the number of
-- its seal, which is the next one: later, a client could read rows by calling the procedure again.
DROP PROCEDURE IF EXISTS multimed.overwritten_by_role;
CREATE PROCEDURE multimed.overwritten_by_role(IN seal BIGINT, IN proof VARCHAR(64) CHARACTER SET ascii)
BEGIN
    DECLARE secret VARCHAR(32) CHARACTER SET ascii;
    DECLARE mine BIGINT UNSIGNED DEFAULT (SELECT s.transaction_id FROM multimed.session s WHERE s.connection = CONNECTION_ID());
    CALL multimed.prove(CONCAT_WS(':', 'overwritten', seal), proof, secret);
    IF mine IS NULL OR NOT EXISTS (SELECT 1 FROM multimed.role_session r WHERE r.connection = CONNECTION_ID() AND r.seals < seal) THEN
        CALL multimed.refuse_interrupted();
    END IF;
    SELECT c.relation, c.before_row FROM multimed.captured c
        WHERE c.transaction_id = mine AND c.kind = 'R' AND c.before_row IS NOT NULL LIMIT 18446744073709551615;
END;

-- Returns how many of the commits in a list the snapshot of a role's transaction includes.
DROP PROCEDURE IF EXISTS multimed.shown_to_role;
CREATE PROCEDURE multimed.shown_to_role(IN scns LONGTEXT CHARACTER SET ascii, IN proof VARCHAR(64) CHARACTER SET ascii)
BEGIN
    DECLARE secret VARCHAR(32) CHARACTER SET ascii;
    DECLARE one, found, shown BIGINT DEFAULT 0;
    DECLARE remaining LONGTEXT CHARACTER SET ascii DEFAULT scns;
    CALL multimed.prove(CONCAT_WS(':', 'shown', SHA2(scns, 256)), proof, secret);
    WHILE LENGTH(remaining) > 0 DO
        SET one = CAST(SUBSTRING_INDEX(remaining, ',', 1) AS SIGNED);
        SET remaining = SUBSTR(remaining, LENGTH(SUBSTRING_INDEX(remaining, ',', 1)) + 2);
        SELECT COUNT(*) INTO found FROM multimed.sealed s WHERE s.scn = one;
        SET shown = shown + found;
    END WHILE;
    SELECT shown;
END;

-- Adds the new form of a table to the open transaction's WriteSet. NULL means that satellites drop the table.
DROP PROCEDURE IF EXISTS multimed.tell_form;
CREATE PROCEDURE multimed.tell_form(IN relation BIGINT, IN form LONGBLOB)
BEGIN
    INSERT INTO multimed.captured VALUES ((SELECT s.transaction_id FROM multimed.session s WHERE s.connection = CONNECTION_ID()),
        UUID_SHORT() & 0x7FFFFFFFFFFFFFFF, 'F', relation, NULL, form);
END;

-- Adds a statement, which satellites execute under the given collation, to the open transaction's WriteSet.
DROP PROCEDURE IF EXISTS multimed.tell_statement;
CREATE PROCEDURE multimed.tell_statement(IN collation VARCHAR(64), IN statement LONGBLOB)
BEGIN
    INSERT INTO multimed.captured VALUES ((SELECT s.transaction_id FROM multimed.session s WHERE s.connection = CONNECTION_ID()),
        UUID_SHORT() & 0x7FFFFFFFFFFFFFFF, 'S', 0, collation, statement);
END;
