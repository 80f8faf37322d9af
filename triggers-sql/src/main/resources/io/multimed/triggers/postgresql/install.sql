-- Multimed's schema on the master: tables that the capture triggers write, and functions that seal a WriteSet (paper
-- section 3.2.2, architecture 4.3 and 4.4). The script can run again at every start; existing WriteSets remain. It
-- takes no strong lock on existing tables, because transactions that bypass the middleware may use them.

SELECT set_config('multimed.watching', 'on', true); -- the event triggers skip this script
DO $do$ BEGIN
    IF to_regprocedure('multimed.trust()') IS NOT NULL THEN
        PERFORM multimed.trust();
    END IF;
END $do$;

CREATE SCHEMA IF NOT EXISTS multimed;
-- A client may have changed its role (SET ROLE), under which its transaction is sealed; rights.sql revokes everything
-- else.
GRANT USAGE ON SCHEMA multimed TO PUBLIC;

-- The beginning of the commit order: all satellites have applied every SCN up to "scn", and its WriteSet has been
-- dropped. "cluster" identifies the history of the master, and "epoch" the middleware that owns it. The table has one
-- row.
CREATE TABLE IF NOT EXISTS multimed.base (scn bigint NOT NULL, cluster uuid NOT NULL, epoch bigint NOT NULL DEFAULT 0);
INSERT INTO multimed.base (scn, cluster) SELECT 0, gen_random_uuid() WHERE NOT EXISTS (SELECT FROM multimed.base);

-- Determines which middleware may update: a middleware that takes over raises the epoch. Every connection for clients'
-- transactions checks its epoch when it is opened and when it seals, so that a middleware that was replaced without its
-- knowledge gets no new connections and commits nothing. An epoch is a random number, without which a WriteSet cannot
-- be sealed.
CREATE OR REPLACE FUNCTION multimed.admit(mine bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF mine <> (SELECT epoch FROM multimed.base) THEN
        RAISE EXCEPTION 'another middleware has taken over this master' USING ERRCODE = 'MM002', HINT = 'Connect to that one.';
    END IF;
END $$;

-- Any client can set a setting whose name begins with multimed., but only Multimed can compute its value if that is a
-- token: it depends on the epoch, which is secret, and on the purpose, so that a token has one use.
CREATE OR REPLACE FUNCTION multimed.token(purpose text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    epoch bigint;
BEGIN
    SELECT b.epoch INTO epoch FROM multimed.base b;
    RETURN md5(concat_ws(' ', purpose, pg_backend_pid(), epoch));
END $$;

-- The token that permits a commit: it depends on the random seed of the transaction's witness, which is secret, too. It
-- does not depend on the epoch, which may change while a transaction that bypasses the middleware commits.
CREATE OR REPLACE FUNCTION multimed.seal_token(seed bigint) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT md5(concat_ws(' ', 'seal', seed, pg_backend_pid()))
$$;

-- Makes the event triggers skip the following DDL of this transaction, which is Multimed's, until multimed.trusted is
-- emptied.
CREATE OR REPLACE FUNCTION multimed.trust() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('multimed.trusted', multimed.token('trusted'), true);
END $$;

-- Returns whether the setting that is named after the purpose contains its token.
CREATE OR REPLACE FUNCTION multimed.has_token(purpose text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN coalesce(current_setting('multimed.' || purpose, true), '') = multimed.token(purpose);
END $$;

SELECT multimed.trust();

-- A sealed WriteSet: it is durable if and only if its transaction is. Four tables are used in turn, so that old rows
-- are removed by TRUNCATE; the middleware switches to the next one. "spill" is the number of the table that holds the
-- earlier part of a large WriteSet, "pieces" the number of its rows there, and "ddl" tells whether it contains a
-- statement that every node runs; null if there is no such part.
CREATE TABLE IF NOT EXISTS multimed.sealed_0 (
    scn bigint NOT NULL, session_id bigint NOT NULL, sequence int NOT NULL, xid xid8 NOT NULL, spill smallint, pieces int, rows text NOT NULL, ddl boolean);
DO $do$ BEGIN -- stored without compression, which would cost more than it saves
    IF to_regclass('multimed.sealed_3') IS NULL THEN
        ALTER TABLE multimed.sealed_0 ALTER COLUMN rows SET STORAGE EXTERNAL;
    END IF;
END $do$;
CREATE TABLE IF NOT EXISTS multimed.sealed_1 (LIKE multimed.sealed_0 INCLUDING ALL);
CREATE TABLE IF NOT EXISTS multimed.sealed_2 (LIKE multimed.sealed_0 INCLUDING ALL);
CREATE TABLE IF NOT EXISTS multimed.sealed_3 (LIKE multimed.sealed_0 INCLUDING ALL);

-- The table of sealed WriteSets that seals use: its number is the value modulo 4.
CREATE SEQUENCE IF NOT EXISTS multimed.turn MINVALUE 0 START 0;
DO $do$ BEGIN
    IF to_regclass('multimed.sealed_3_scn') IS NULL THEN
        CREATE INDEX sealed_0_scn ON multimed.sealed_0 (scn);
        CREATE INDEX sealed_1_scn ON multimed.sealed_1 (scn);
        CREATE INDEX sealed_2_scn ON multimed.sealed_2 (scn);
        CREATE INDEX sealed_3_scn ON multimed.sealed_3 (scn);
    END IF;
END $do$;

-- All sealed WriteSets.
CREATE OR REPLACE VIEW multimed.sealed AS
    SELECT * FROM multimed.sealed_0 UNION ALL SELECT * FROM multimed.sealed_1
    UNION ALL SELECT * FROM multimed.sealed_2 UNION ALL SELECT * FROM multimed.sealed_3;

-- The earlier pieces of WriteSets that exceed the buffer below, in UTF-8. Three tables are used in turn, one per
-- minute. "continues" marks a piece whose last change continues in the next piece.
CREATE TABLE IF NOT EXISTS multimed.spilled_0 (
    xid xid8 NOT NULL, piece bigint GENERATED ALWAYS AS IDENTITY, continues boolean NOT NULL, rows bytea NOT NULL);
DO $do$ BEGIN
    IF to_regclass('multimed.spilled_2') IS NULL THEN
        ALTER TABLE multimed.spilled_0 ALTER COLUMN rows SET STORAGE EXTERNAL;
        CREATE INDEX spilled_0_xid ON multimed.spilled_0 (xid, piece);
    END IF;
END $do$;
CREATE TABLE IF NOT EXISTS multimed.spilled_1 (LIKE multimed.spilled_0 INCLUDING ALL);
CREATE TABLE IF NOT EXISTS multimed.spilled_2 (LIKE multimed.spilled_0 INCLUDING ALL);

-- All pieces, with the number of their table.
CREATE OR REPLACE VIEW multimed.spilled AS
    SELECT 0::smallint AS spill, * FROM multimed.spilled_0
    UNION ALL SELECT 1::smallint, * FROM multimed.spilled_1
    UNION ALL SELECT 2::smallint, * FROM multimed.spilled_2;

-- The sealed WriteSets that have pieces, with the number of the table: such a table is emptied when all satellites have
-- applied these WriteSets.
CREATE TABLE IF NOT EXISTS multimed.spilling (scn bigint NOT NULL, place smallint NOT NULL);

-- The WriteSet of the open transaction grows in the transaction-local setting multimed.writeset, which is in memory and
-- is undone with a savepoint or the transaction. The middleware's connections begin with an empty value. If the setting
-- is missing, the write bypasses the middleware: refuse.sql or capture.sql defines the behavior.
-- A change is: operation, relation, lengths in bytes, then the row's text before and after, e.g. "U16403 5 5
-- (1,a)(1,b)".
-- May run with the client's search_path, in which a user's operator or type may come first: all names are qualified.
CREATE OR REPLACE FUNCTION multimed.append(change pg_catalog.text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    kept pg_catalog.text := pg_catalog.current_setting('multimed.writeset', true);
    buffer pg_catalog.text := kept OPERATOR(pg_catalog.||) change;
BEGIN
    IF kept IS NULL THEN
        PERFORM multimed.append_bypassing(change);
    ELSIF pg_catalog.octet_length(buffer) OPERATOR(pg_catalog.<=) 4000 THEN
        PERFORM multimed.keep(kept, buffer);
    ELSE
        PERFORM multimed.keep(kept, '');
        PERFORM multimed.spill(buffer);
    END IF;
END $$;

-- A transaction with captured changes has one row here, with two purposes:
-- * It is a guard: the transaction cannot commit unsealed, regardless of the statement that ended it. The row's
--   deferred trigger refuses the commit, unless the seal has fired it before. The queue of deferred triggers is
--   internal to the engine: no SQL can shorten it, and a savepoint undoes its entries together with the changes.
-- * It is a witness: any SQL can change a setting, but only the schema's owner can read or write this row. It contains
--   the checksum of the setting multimed.writeset after the last change, with the row's own seed, the number of spilled
--   pieces of the WriteSet, and whether it contains a statement that every node runs. The setting multimed.witness
--   contains the ctid of the row's last version; with any other ctid the row is not found. The guard has the same seed,
--   so that a transaction has only one witness.
-- "stood" is the time of an earlier guard that fired early, because of SET CONSTRAINTS ALL IMMEDIATE; null for the
-- first guard. Such a row is not a witness. "scn" and "sealed" are for transactions that bypass the middleware, see
-- capture.sql. Three tables are used in turn, one per minute, so that a table without open transactions can be emptied.
CREATE UNLOGGED TABLE IF NOT EXISTS multimed.unsealed_0 (
    stood timestamptz, xid xid8, seed bigint, checksum bigint, pieces int NOT NULL DEFAULT 0, ddl boolean NOT NULL DEFAULT false,
    scn bigint, sealed boolean NOT NULL DEFAULT false);
CREATE UNLOGGED TABLE IF NOT EXISTS multimed.unsealed_1 (LIKE multimed.unsealed_0 INCLUDING ALL);
CREATE UNLOGGED TABLE IF NOT EXISTS multimed.unsealed_2 (LIKE multimed.unsealed_0 INCLUDING ALL);

-- Returns which of the tables that are used in turn belongs to the transaction: now() is its start time, so that it is
-- the same for all its rows.
CREATE OR REPLACE FUNCTION multimed.place() RETURNS int LANGUAGE sql STABLE AS $$
    SELECT (pg_catalog.date_part('epoch', pg_catalog.now())::pg_catalog.int8 OPERATOR(pg_catalog./) 60 OPERATOR(pg_catalog.%) 3)::pg_catalog.int4
$$;

-- Changes the setting multimed.writeset from "kept" to "buffer", and returns the new value. Fails with MM003 if the
-- setting does not match the witness. For performance, one statement does all work on the witness, and the rest are
-- expressions, which PL/pgSQL evaluates without a query.
CREATE OR REPLACE FUNCTION multimed.keep(kept pg_catalog.text, buffer pg_catalog.text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    witness pg_catalog.text := pg_catalog.current_setting('multimed.witness', true);
    place pg_catalog.int4 := multimed.place();
    stands pg_catalog.tid;
BEGIN
    IF witness OPERATOR(pg_catalog.<>) '' THEN
        IF place OPERATOR(pg_catalog.=) 0 THEN
            UPDATE multimed.unsealed_0 u SET checksum = pg_catalog.hashtextextended(buffer, u.seed)
                WHERE u.ctid OPERATOR(pg_catalog.=) witness::pg_catalog.tid AND u.xid OPERATOR(pg_catalog.=) pg_catalog.pg_current_xact_id()
                AND u.checksum OPERATOR(pg_catalog.=) pg_catalog.hashtextextended(kept, u.seed) RETURNING u.ctid INTO stands;
        ELSIF place OPERATOR(pg_catalog.=) 1 THEN
            UPDATE multimed.unsealed_1 u SET checksum = pg_catalog.hashtextextended(buffer, u.seed)
                WHERE u.ctid OPERATOR(pg_catalog.=) witness::pg_catalog.tid AND u.xid OPERATOR(pg_catalog.=) pg_catalog.pg_current_xact_id()
                AND u.checksum OPERATOR(pg_catalog.=) pg_catalog.hashtextextended(kept, u.seed) RETURNING u.ctid INTO stands;
        ELSE
            UPDATE multimed.unsealed_2 u SET checksum = pg_catalog.hashtextextended(buffer, u.seed)
                WHERE u.ctid OPERATOR(pg_catalog.=) witness::pg_catalog.tid AND u.xid OPERATOR(pg_catalog.=) pg_catalog.pg_current_xact_id()
                AND u.checksum OPERATOR(pg_catalog.=) pg_catalog.hashtextextended(kept, u.seed) RETURNING u.ctid INTO stands;
        END IF;
    ELSIF kept OPERATOR(pg_catalog.=) '' THEN
        stands := multimed.begin_writeset(buffer);
    END IF;
    IF stands IS NULL THEN
        PERFORM multimed.refuse_record();
    END IF;
    witness := pg_catalog.set_config('multimed.witness', stands::pg_catalog.text, true);
    RETURN pg_catalog.set_config('multimed.writeset', buffer, true);
END $$;

-- Inserts the row for a transaction's first change.
CREATE OR REPLACE FUNCTION multimed.begin_writeset(buffer text, OUT stands tid) LANGUAGE plpgsql AS $$
DECLARE
    seed bigint := uuid_hash_extended(gen_random_uuid(), 0);
    mark bigint := hashtextextended(buffer, seed);
BEGIN
    CASE multimed.place()
        WHEN 0 THEN INSERT INTO multimed.unsealed_0 AS u (xid, seed, checksum) VALUES (pg_current_xact_id(), seed, mark) RETURNING u.ctid INTO stands;
        WHEN 1 THEN INSERT INTO multimed.unsealed_1 AS u (xid, seed, checksum) VALUES (pg_current_xact_id(), seed, mark) RETURNING u.ctid INTO stands;
        ELSE INSERT INTO multimed.unsealed_2 AS u (xid, seed, checksum) VALUES (pg_current_xact_id(), seed, mark) RETURNING u.ctid INTO stands;
    END CASE;
END $$;

-- Updates the witness for the part of the WriteSet outside of the setting.
CREATE OR REPLACE FUNCTION multimed.add_to_witness(more_pieces int, has_ddl boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    stands tid := nullif(current_setting('multimed.witness', true), '')::tid;
    mine xid8 := pg_current_xact_id();
    moved tid;
BEGIN
    CASE multimed.place()
        WHEN 0 THEN UPDATE multimed.unsealed_0 u SET pieces = u.pieces + more_pieces, ddl = u.ddl OR has_ddl WHERE u.ctid = stands AND u.xid = mine RETURNING u.ctid INTO moved;
        WHEN 1 THEN UPDATE multimed.unsealed_1 u SET pieces = u.pieces + more_pieces, ddl = u.ddl OR has_ddl WHERE u.ctid = stands AND u.xid = mine RETURNING u.ctid INTO moved;
        ELSE UPDATE multimed.unsealed_2 u SET pieces = u.pieces + more_pieces, ddl = u.ddl OR has_ddl WHERE u.ctid = stands AND u.xid = mine RETURNING u.ctid INTO moved;
    END CASE;
    IF moved IS NULL THEN
        PERFORM multimed.refuse_record();
    END IF;
    PERFORM set_config('multimed.witness', moved::text, true);
END $$;

-- Reports that the WriteSet does not match its witness (MM003); the transaction cannot commit.
CREATE OR REPLACE FUNCTION multimed.refuse_record() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'SQL has modified the WriteSet of this transaction, so that satellites would not receive its changes: nothing is committed'
        USING ERRCODE = 'MM003', HINT = 'Settings whose names begin with multimed. belong to Multimed; run RESET ALL as a separate statement.';
END $$;

-- Inserts a guard again after it has fired before the end of its transaction.
CREATE OR REPLACE FUNCTION multimed.stand_again(seed bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO multimed.unsealed_%s (stood, seed) VALUES (statement_timestamp(), $1)', multimed.place()) USING seed;
END $$;

-- Returns the open transaction's witness; no row if there is none.
CREATE OR REPLACE FUNCTION multimed.witness(OUT seed bigint, OUT checksum bigint, OUT pieces int, OUT ddl boolean) RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
    stands tid := nullif(current_setting('multimed.witness', true), '')::tid;
    mine xid8 := pg_current_xact_id_if_assigned();
BEGIN
    CASE multimed.place()
        WHEN 0 THEN RETURN QUERY SELECT u.seed, u.checksum, u.pieces, u.ddl FROM multimed.unsealed_0 u WHERE u.ctid = stands AND u.xid = mine;
        WHEN 1 THEN RETURN QUERY SELECT u.seed, u.checksum, u.pieces, u.ddl FROM multimed.unsealed_1 u WHERE u.ctid = stands AND u.xid = mine;
        ELSE RETURN QUERY SELECT u.seed, u.checksum, u.pieces, u.ddl FROM multimed.unsealed_2 u WHERE u.ctid = stands AND u.xid = mine;
    END CASE;
END $$;

-- Refuses the commit of an unsealed transaction (MM003). At a commit all deferred triggers fire until none is left: a
-- guard that was inserted again within the same statement indicates a commit. If the setting multimed.sealing contains
-- the seal's token for this witness, the seal has fired the guard.
CREATE OR REPLACE FUNCTION multimed.refuse_unsealed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    sealing text := coalesce(current_setting('multimed.sealing', true), '');
BEGIN
    IF sealing = multimed.seal_token(NEW.seed) THEN
        RETURN NULL;
    ELSIF multimed.is_sealed_later() THEN
        SET CONSTRAINTS multimed.refuse_unsealed_0, multimed.refuse_unsealed_1, multimed.refuse_unsealed_2 DEFERRED;
        PERFORM multimed.stand_again(NEW.seed);
    ELSIF sealing <> '' AND NEW.stood IS NULL THEN -- the WriteSet was erased, or started twice
        PERFORM multimed.refuse_record();
    ELSIF NEW.stood = statement_timestamp() THEN
        RAISE EXCEPTION 'the transaction has changed replicated tables and cannot be committed by SQL that Multimed cannot detect: nothing of it is committed'
            USING ERRCODE = 'MM003', HINT = 'End transactions by Connection.commit() or by COMMIT as a separate statement.';
    ELSE
        SET CONSTRAINTS multimed.refuse_unsealed_0, multimed.refuse_unsealed_1, multimed.refuse_unsealed_2 DEFERRED;
        PERFORM multimed.stand_again(NEW.seed);
    END IF;
    RETURN NULL;
END $$;

DO $do$ BEGIN
    FOR place IN 0 .. 2 LOOP
        IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = ('multimed.unsealed_' || place)::regclass AND tgname = 'refuse_unsealed_' || place) THEN
            EXECUTE format('CREATE CONSTRAINT TRIGGER refuse_unsealed_%1$s AFTER INSERT ON multimed.unsealed_%1$s DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION multimed.refuse_unsealed()', place);
            EXECUTE format('ALTER TABLE multimed.unsealed_%1$s ENABLE ALWAYS TRIGGER refuse_unsealed_%1$s', place); -- regardless of session_replication_role
        END IF;
    END LOOP;
END $do$;

-- Writes complete changes to multimed.spilled_*. A row's change is limited to about 4 MB by append_row; the limit here
-- concerns statements.
CREATE OR REPLACE FUNCTION multimed.spill(changes text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF octet_length(changes) > 67108864 THEN
        RAISE EXCEPTION 'a statement of % MB cannot be replicated: it may have 64 MB', octet_length(changes) / 1048576 USING ERRCODE = '0A000';
    END IF;
    PERFORM multimed.spill_pieces(convert_to(changes, 'UTF8'), true);
END $$;

-- Writes the buffer to multimed.spilled_*, so that pieces which are written next follow it.
CREATE OR REPLACE FUNCTION multimed.spill_buffer() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    buffer text := current_setting('multimed.writeset', true);
BEGIN
    IF buffer IS NULL THEN
        PERFORM multimed.spill_bypassing();
    ELSIF buffer <> '' THEN
        PERFORM multimed.keep(buffer, '');
        PERFORM multimed.spill(buffer);
    END IF;
END $$;

-- Writes bytes in pieces. "cohere" states whether the pieces are parts of one change, which is read as a whole. Runs as
-- the owner, who alone has access to the tables. The pieces are numbered without the sequence of their column, whose
-- number lastval() would return to the client.
CREATE OR REPLACE FUNCTION multimed.spill_pieces(content bytea, cohere boolean) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    place int := multimed.place();
    last int := multimed.pieces_of(octet_length(content)) - 1;
    mine xid8 := pg_current_xact_id();
    earlier bigint;
BEGIN
    CASE place
        WHEN 0 THEN SELECT coalesce(max(p.piece), 0) INTO earlier FROM multimed.spilled_0 p WHERE p.xid = mine;
        WHEN 1 THEN SELECT coalesce(max(p.piece), 0) INTO earlier FROM multimed.spilled_1 p WHERE p.xid = mine;
        ELSE SELECT coalesce(max(p.piece), 0) INTO earlier FROM multimed.spilled_2 p WHERE p.xid = mine;
    END CASE;
    IF last = 0 THEN -- the most frequent case, without the cost of a new plan
        CASE place
            WHEN 0 THEN INSERT INTO multimed.spilled_0 (xid, piece, continues, rows) OVERRIDING SYSTEM VALUE VALUES (mine, earlier + 1, false, content);
            WHEN 1 THEN INSERT INTO multimed.spilled_1 (xid, piece, continues, rows) OVERRIDING SYSTEM VALUE VALUES (mine, earlier + 1, false, content);
            ELSE INSERT INTO multimed.spilled_2 (xid, piece, continues, rows) OVERRIDING SYSTEM VALUE VALUES (mine, earlier + 1, false, content);
        END CASE;
        PERFORM multimed.add_to_witness(1, false);
        RETURN;
    END IF;
    EXECUTE format('INSERT INTO multimed.spilled_%s (xid, piece, continues, rows) OVERRIDING SYSTEM VALUE
            SELECT $5, $6 + i + 1, $4 AND i < $2, substring($1 FROM i * $3 + 1 FOR $3) FROM generate_series(0, $2) i', place)
        USING content, last, multimed.piece_size(), cohere, mine, earlier;
    PERFORM multimed.add_to_witness(last + 1, false);
END $$;

-- Returns the pieces of the open transaction, which has just been sealed, if they are few and small: the middleware
-- then need not read them again for each satellite. Null otherwise.
CREATE OR REPLACE FUNCTION multimed.few_pieces(spill smallint, pieces int, mine xid8, epoch bigint) RETURNS bytea
    LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    content bytea;
BEGIN
    PERFORM multimed.admit(epoch);
    IF pieces > 16 OR mine IS DISTINCT FROM pg_current_xact_id_if_assigned() THEN
        RETURN NULL;
    END IF;
    CASE spill
        WHEN 0 THEN SELECT CASE WHEN sum(octet_length(p.rows)) <= 65536 THEN string_agg(p.rows, '' ORDER BY p.piece) END INTO content FROM multimed.spilled_0 p WHERE p.xid = mine;
        WHEN 1 THEN SELECT CASE WHEN sum(octet_length(p.rows)) <= 65536 THEN string_agg(p.rows, '' ORDER BY p.piece) END INTO content FROM multimed.spilled_1 p WHERE p.xid = mine;
        ELSE SELECT CASE WHEN sum(octet_length(p.rows)) <= 65536 THEN string_agg(p.rows, '' ORDER BY p.piece) END INTO content FROM multimed.spilled_2 p WHERE p.xid = mine;
    END CASE;
    RETURN content;
END $$;

-- The maximum size of a piece in bytes: a reader of a WriteSet holds several pieces in memory.
CREATE OR REPLACE FUNCTION multimed.piece_size() RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT 131072 $$;

-- Returns the number of pieces of a value, at least 1.
CREATE OR REPLACE FUNCTION multimed.pieces_of(bytes int) RETURNS int LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT greatest(bytes - 1, 0) / multimed.piece_size() + 1 $$;

-- Appends the change of a row to the WriteSet; returns true, and appends nothing, if the row is large: see large.sql.
CREATE OR REPLACE FUNCTION multimed.append_row(relation pg_catalog.oid, operation pg_catalog.text, before pg_catalog.text, after pg_catalog.text)
    RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    kept pg_catalog.text := pg_catalog.current_setting('multimed.writeset', true);
    change pg_catalog.text;
BEGIN
    IF greatest(pg_catalog.octet_length(before), pg_catalog.octet_length(after)) OPERATOR(pg_catalog.>)
            (CASE WHEN operation OPERATOR(pg_catalog.=) 'UPDATE' THEN 2097152 ELSE 4194304 END) THEN
        RETURN true;
    END IF;
    change := pg_catalog.concat(pg_catalog.left(operation, 1), relation, ' ', pg_catalog.octet_length(before) OPERATOR(pg_catalog.||) ' ',
        pg_catalog.octet_length(after) OPERATOR(pg_catalog.||) ' ', before, after); -- ignores nulls
    IF pg_catalog.octet_length(kept) OPERATOR(pg_catalog.+) pg_catalog.octet_length(change) OPERATOR(pg_catalog.<=) 4000 THEN
        RETURN multimed.keep(kept, kept OPERATOR(pg_catalog.||) change) IS NULL; -- append(), inlined for performance
    END IF;
    PERFORM multimed.append(change);
    RETURN false;
END $$;

-- The trigger function for rows. The engine compiles and keeps a trigger function for each trigger in each session:
-- this one has a single expression, so that a session that changes many tables stays small; append_row() is kept once.
-- Runs as Multimed's owner, so that clients need no privileges. Calls the engine's output function, because a user can
-- define a cast of a row to text.
CREATE OR REPLACE FUNCTION multimed.capture_row() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF multimed.append_row(TG_RELID, TG_OP, pg_catalog.textin(pg_catalog.record_out(OLD)), pg_catalog.textin(pg_catalog.record_out(NEW))) THEN
        PERFORM multimed.append_large(TG_RELID, pg_catalog.left(TG_OP, 1), OLD, NEW);
    END IF;
    RETURN NULL;
END $$;

-- The same function for tables with values whose text depends on settings of the session: here these settings are
-- constant. Setting them takes time, so that other tables use the function above.
DO $do$
BEGIN
    EXECUTE (SELECT format('CREATE OR REPLACE FUNCTION multimed.capture_row_steadily() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
            SET datestyle = ''ISO'' SET intervalstyle = ''postgres'' SET extra_float_digits = 1 SET timezone = ''UTC''
            SET bytea_output = ''hex'' SET lc_monetary = ''C'' AS %L', p.prosrc)
        FROM pg_proc p WHERE p.pronamespace = 'multimed'::regnamespace AND p.proname = 'capture_row');
END $do$;

-- The trigger function for TRUNCATE: appends "T", the relation.
CREATE OR REPLACE FUNCTION multimed.capture_truncate() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM multimed.append(pg_catalog.concat('T', TG_RELID, ' '));
    RETURN NULL;
END $$;

-- Appends a statement that every node runs at its position in the commit order (DDL): "X", search_path and text.
CREATE OR REPLACE FUNCTION multimed.append_statement(statement pg_catalog.text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    path pg_catalog.text := pg_catalog.current_setting('search_path');
BEGIN
    PERFORM pg_catalog.set_config('multimed.ddl', 'on', true); -- undone by a savepoint, like the statement
    PERFORM multimed.append(pg_catalog.concat(
        'X', pg_catalog.octet_length(path), ' ', pg_catalog.octet_length(statement), ' ', path, statement));
    PERFORM multimed.add_to_witness(0, true);
END $$;

-- The relations, as the middleware needs them to apply rows: names, live columns, and the positions of the key's
-- columns among these, from 0; NULL if there is no key.
CREATE OR REPLACE VIEW multimed.relation AS
    SELECT c.oid AS id, n.nspname::text AS schema_name, c.relname::text AS table_name,
        ARRAY(SELECT a.attname::text FROM pg_attribute a
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS columns,
        (SELECT array_agg((SELECT count(*) FROM pg_attribute b
                    WHERE b.attrelid = c.oid AND b.attnum > 0 AND b.attnum < a.attnum AND NOT b.attisdropped)::int
                ORDER BY a.attnum)
            FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
            WHERE i.indrelid = c.oid AND i.indisprimary) AS key_positions
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND c.relpersistence <> 't'
        AND n.nspname NOT IN ('multimed', 'pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_%';

-- PostgreSQL empties unlogged tables when it crashes, without a report; this table as well, which makes a crash
-- detectable. If other unlogged tables exist, the satellites' copies of them are not copies any more: the history gets
-- another identifier, and all satellites are seeded again.
CREATE UNLOGGED TABLE IF NOT EXISTS multimed.since_crash (began timestamptz NOT NULL);

CREATE OR REPLACE FUNCTION multimed.cluster() RETURNS uuid LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM multimed.since_crash) THEN
        INSERT INTO multimed.since_crash VALUES (now());
        UPDATE multimed.base SET cluster = gen_random_uuid() WHERE EXISTS (
            SELECT FROM multimed.relation r JOIN pg_class c ON c.oid = r.id WHERE c.relpersistence = 'u');
    END IF;
    RETURN (SELECT b.cluster FROM multimed.base b);
END $$;

-- Appends the form of a relation: "R", relation, number of words, then schema, name, positions of the key and columns,
-- each with its length in bytes. Appends nothing if the relation is not in the view multimed.relation.
CREATE OR REPLACE FUNCTION multimed.append_relation(relation oid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    description text;
BEGIN
    SELECT format('R%s %s ', r.id, 3 + cardinality(r.columns)) || (
            SELECT string_agg(octet_length(word) || ' ' || word, '' ORDER BY place)
            FROM unnest(ARRAY[r.schema_name, r.table_name, array_to_string(coalesce(r.key_positions, '{}'), ',')] || r.columns)
                WITH ORDINALITY words (word, place))
        INTO description FROM multimed.relation r WHERE r.id = relation;
    IF FOUND THEN
        PERFORM multimed.append(description);
    END IF;
END $$;

-- Returns all types of which a relation's values consist: those of its columns, and those that these contain. Planned
-- once per session, because planning takes longer than execution; so are the functions that call it.
CREATE OR REPLACE FUNCTION multimed.types_in(relation oid) RETURNS TABLE (column_name name, type oid) LANGUAGE plpgsql STABLE
    SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
RETURN QUERY
    WITH RECURSIVE parts AS (
        SELECT attname AS column_name, atttypid AS type FROM pg_attribute WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped
        UNION
        SELECT p.column_name, inner_type FROM parts p JOIN pg_type t ON t.oid = p.type
        CROSS JOIN LATERAL (
            SELECT t.typelem UNION SELECT t.typbasetype
            UNION SELECT atttypid FROM pg_attribute WHERE attrelid = t.typrelid AND attnum > 0 AND NOT attisdropped
            UNION SELECT rngsubtype FROM pg_range WHERE t.oid IN (rngtypid, rngmultitypid)) x (inner_type)
        WHERE inner_type <> 0)
    SELECT column_name, type FROM parts;
END $$;

-- Refuses a relation with values that are identifiers of this engine's catalog (0A000): in another engine they would
-- identify another object, or none. Also refuses types whose values no engine reads as text, so that a satellite could
-- not store them.
CREATE OR REPLACE FUNCTION multimed.refuse_engine_numbers(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    refused record;
BEGIN
    SELECT column_name, type INTO refused FROM multimed.types_in(relation)
        WHERE type::regtype::text ~ '^(reg(class|collation|config|dictionary|namespace|oper|operator|proc|procedure|role|type)|aclitem)$' LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column % of % cannot be replicated: a % is a number that only this engine knows',
            quote_ident(refused.column_name), relation, refused.type::regtype USING ERRCODE = '0A000', HINT = 'Keep the name in a column of type text.';
    END IF;
    SELECT column_name, type INTO refused FROM multimed.types_in(relation)
        WHERE type::regtype::text ~ '^(pg_(node_tree|ndistinct|dependencies|mcv_list|brin_bloom_summary|brin_minmax_multi_summary)|gtsvector)$' LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column % of % cannot be replicated: the engine does not read values of the type %',
            quote_ident(refused.column_name), relation, refused.type::regtype USING ERRCODE = '0A000', HINT = 'Keep the value in a column of type text.';
    END IF;
END $$;

-- Returns whether the text of every value is independent of datestyle, timezone and other settings of the session.
CREATE OR REPLACE FUNCTION multimed.is_steady(relation oid) RETURNS boolean LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
RETURN (
    SELECT coalesce(bool_and(t.typcategory = 'A' OR t.typtype IN ('e', 'd') OR t.oid IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype,
        'numeric'::regtype, 'text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'boolean'::regtype, 'uuid'::regtype, 'json'::regtype, 'jsonb'::regtype)), true)
    FROM multimed.types_in(relation) JOIN pg_type t ON t.oid = type);
END $$;

-- Creates the capture triggers of a relation, or corrects them if they were disabled or if the relation has a new
-- column. Their names sort before those of all other triggers: a row is captured before the effects that users'
-- triggers and cascades have on it.
CREATE OR REPLACE FUNCTION multimed.watch(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    steady boolean := multimed.is_steady(relation);
    kind record;
    enabling text[] := '{}';
BEGIN
    IF NOT steady THEN
        PERFORM multimed.refuse_engine_numbers(relation);
    END IF;
    PERFORM multimed.trust(); -- only the master has these triggers: no DDL for the satellites
    FOR kind IN SELECT * FROM (VALUES
            ('!multimed_row', 'INSERT OR UPDATE OR DELETE', 'ROW', CASE WHEN steady THEN 'multimed.capture_row()' ELSE 'multimed.capture_row_steadily()' END),
            ('!multimed_truncate', 'TRUNCATE', 'STATEMENT', 'multimed.capture_truncate()')) k (name, events, level, function)
    LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_trigger WHERE tgrelid = relation AND tgname = kind.name
            AND tgenabled = 'A' AND tgfoid = kind.function::regprocedure);
        EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER %s ON %s FOR EACH %s EXECUTE FUNCTION %s',
            kind.name, kind.events, relation, kind.level, kind.function);
        enabling := enabling || format('ENABLE ALWAYS TRIGGER %I', kind.name);
    END LOOP;
    IF enabling <> '{}' THEN
        EXECUTE format('ALTER TABLE %s %s', relation, array_to_string(enabling, ', '));
    END IF;
    PERFORM set_config('multimed.trusted', '', true);
END $$;

-- Drops the capture triggers of a relation.
CREATE OR REPLACE FUNCTION multimed.unwatch(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    installed name;
BEGIN
    PERFORM multimed.trust();
    FOR installed IN SELECT tgname FROM pg_trigger WHERE tgrelid = relation AND tgname LIKE '!multimed\_%' LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', installed, relation);
    END LOOP;
    PERFORM set_config('multimed.trusted', '', true);
END $$;

-- The numbers of the commit order. A transaction takes its number while it holds all its locks, so that of two
-- conflicting transactions the later one has the higher number. CYCLE: if SQL has set the sequence to its end, it
-- continues with 1, which later_scn() detects.
CREATE SEQUENCE IF NOT EXISTS multimed.scn CYCLE;

-- Sets the sequence so that the next SCN follows the last one under which a transaction was sealed, and returns that
-- SCN. Called while no member of a commit group commits.
CREATE OR REPLACE FUNCTION multimed.resume() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    last bigint;
BEGIN
    PERFORM multimed.next_scn(); -- with bypass: capture, no bypassing transaction takes an SCN until this one ends
    SELECT greatest((SELECT b.scn FROM multimed.base b), (SELECT max(s.scn) FROM multimed.sealed s)) INTO last;
    PERFORM setval('multimed.scn', last + 1, false);
    RETURN last;
END $$;

-- Seals the open transaction's WriteSet under the next SCN and returns it, in the round trip of the COMMIT. Deferred
-- constraints and triggers run first, with the client's privileges: their changes belong to the WriteSet. A transaction
-- that wrote nothing has no SCN and leaves no row; one whose changes satellites do not need (GRANT) leaves only its
-- receipt. Runs with the client's search_path.
-- "epoch" is that of multimed.admit: only the middleware that owns the master can seal. "after" is an SCN that has been
-- assigned: the transaction gets a higher one. "keep" tells that the client keeps the connection and its session state;
-- otherwise all settings are reset, except for the time zone, which is checked before each use, and the session forgets
-- its sequences. "held" reports session state other than settings: no other client may use the connection while it
-- exists.
-- All other commits wait for this transaction, which therefore waits for no lock longer than lock_timeout, neither here
-- nor in the COMMIT. A client's synchronous_commit has no effect: the middleware forces the log for all commits, and a
-- COMMIT that waited for the disk, or for standbys, would hold up the others.
CREATE OR REPLACE FUNCTION multimed.seal(session_id bigint, sequence int, after bigint, keep boolean, epoch bigint,
    OUT scn bigint, OUT rows pg_catalog.text, OUT spill smallint, OUT pieces int, OUT xid pg_catalog.xid8, OUT ddl boolean, OUT held pg_catalog.text) LANGUAGE plpgsql AS $$
DECLARE
    zone pg_catalog.text;
    permitted pg_catalog.text := multimed.permit_seal(epoch);
    fence pg_catalog.text := pg_catalog.set_config('lock_timeout', '3s', true);
    sealed record;
BEGIN
    SET CONSTRAINTS ALL IMMEDIATE;
    IF permitted IS NULL THEN -- a deferred trigger may have made the first change
        permitted := multimed.permit_seal(epoch);
        IF permitted IS NOT NULL THEN
            SET CONSTRAINTS ALL IMMEDIATE;
        END IF;
    END IF;
    sealed := multimed.write_seal(session_id, sequence, after, epoch, permitted); -- an expression: costs less than a query
    scn := sealed.scn;
    rows := sealed.rows;
    spill := sealed.spill;
    pieces := sealed.pieces;
    xid := sealed.xid;
    ddl := sealed.ddl;
    IF keep THEN
        SET LOCAL synchronous_commit TO DEFAULT;
        RETURN;
    END IF;
    zone := pg_catalog.current_setting('TimeZone');
    RESET ALL;
    fence := pg_catalog.set_config('lock_timeout', '3s', true);
    IF zone OPERATOR(pg_catalog.<>) pg_catalog.current_setting('TimeZone') THEN
        PERFORM pg_catalog.set_config('TimeZone', zone, false);
    END IF;
    PERFORM pg_catalog.pg_advisory_unlock_all(); -- a user's function may have taken locks that are never released
    UNLISTEN *;
    DISCARD SEQUENCES; -- currval and lastval would return the numbers of this client to the next one
    IF pg_catalog.pg_my_temp_schema() OPERATOR(pg_catalog.<>) 0::pg_catalog.oid OR pg_catalog.current_setting('role') OPERATOR(pg_catalog.<>) 'none' THEN
        held := 'state';
    END IF;
END $$;

-- Called before a transaction joins the commit order, behind SET CONSTRAINTS ALL IMMEDIATE, by which the engine has run
-- its deferred triggers. Returns whether the transaction must be sealed; otherwise it has changed nothing, and can
-- commit outside of the order. At the commit, the engine computes the rows of cursors WITH HOLD that the transaction
-- has declared, and no SQL makes it do so before: all other commits would wait for them.
CREATE OR REPLACE FUNCTION multimed.before_commit() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF pg_current_xact_id_if_assigned() IS NULL AND current_setting('multimed.writeset', true) = '' THEN
        RETURN false;
    END IF;
    IF EXISTS (SELECT FROM pg_cursors c WHERE c.is_holdable AND c.creation_time >= now()) THEN
        RAISE EXCEPTION 'a transaction that changes data cannot leave a cursor WITH HOLD: all other commits would wait until its rows are computed'
            USING ERRCODE = '0A000', HINT = 'Commit the changes before DECLARE, or close the cursor before the commit.';
    END IF;
    RETURN true;
END $$;

CREATE OR REPLACE VIEW multimed.unnamed_code AS
${unnamed_code};

CREATE OR REPLACE VIEW multimed.shareable AS
${shareable};

-- Tells whether anything in the database can leave work for the commit that may wait for other transactions or take
-- long: deferrable constraints and triggers, and code that may create such a trigger, or a cursor WITH HOLD, unseen.
-- The text of functions in C is not examined.
CREATE OR REPLACE VIEW multimed.defers AS
    SELECT EXISTS (SELECT FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
            WHERE t.tgdeferrable AND c.relpersistence <> 't' AND c.relnamespace <> 'multimed'::regnamespace)
        OR EXISTS (SELECT FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
            WHERE p.oid >= 16384 AND p.pronamespace <> 'multimed'::regnamespace AND l.lanname NOT IN ('c', 'internal')
            AND (l.lanname NOT IN ('sql', 'plpgsql')
                OR coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) ~* '(defer|\m(execute|constraints?|temp|temporary|hold)\M|\mu&")')) AS any;

-- The names, in lower case, of tables and views whose changes may leave such work.
CREATE OR REPLACE VIEW multimed.deferring AS
    SELECT DISTINCT lower(c.relname::text) AS name FROM pg_class c
    WHERE c.relkind IN ('r', 'p', 'v', 'f') AND c.oid >= 16384 AND c.relpersistence <> 't' AND c.relnamespace <> 'multimed'::regnamespace
    AND (SELECT d.any FROM multimed.defers d) AND NOT EXISTS (SELECT FROM multimed.shareable s WHERE s.oid = c.oid);

-- The tables that were shareable when the snapshot "seen" was taken, at the time "at". The full check reads many
-- catalogs, and costs more than a commit. An entry counts for a minute, and until DDL is committed that the snapshot
-- does not show.
CREATE UNLOGGED TABLE IF NOT EXISTS multimed.checked (id oid PRIMARY KEY, seen pg_snapshot NOT NULL, at timestamptz NOT NULL);

-- The transactions with DDL, except for DDL on temporary tables. The middleware removes entries that are older than an
-- hour, and thereby older than every entry of multimed.checked that counts. If the server has crashed, both tables are
-- empty.
CREATE UNLOGGED TABLE IF NOT EXISTS multimed.ddl_mark (xid xid8 PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp());

-- Fails with 0A000 if one of the tables is not shareable. Called while the transaction holds its locks on the tables,
-- so that no trigger or constraint can be added before the commit.
CREATE OR REPLACE FUNCTION multimed.require_shareable(tables oid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    present pg_snapshot;
BEGIN
    IF NOT EXISTS (SELECT FROM unnest(tables) t (id) WHERE NOT EXISTS (
            SELECT FROM multimed.checked c WHERE c.id = t.id AND c.at > clock_timestamp() - interval '1 minute' AND NOT EXISTS (
                SELECT FROM multimed.ddl_mark m WHERE m.xid >= pg_snapshot_xmin(c.seen) AND NOT pg_visible_in_snapshot(m.xid, c.seen)))) THEN
        RETURN;
    END IF;
    present := pg_current_snapshot(); -- before the check: DDL that is committed in between leads to another check
    IF EXISTS (SELECT FROM unnest(tables) t (id) WHERE NOT EXISTS (SELECT FROM multimed.shareable s WHERE s.oid = t.id)) THEN
        RAISE EXCEPTION 'a table has triggers, rules or constraints because of which its changes are not shared' USING ERRCODE = '0A000';
    END IF;
    IF current_setting('transaction_isolation') <> 'read committed' THEN -- the snapshot may be older than a removed mark
        RETURN;
    END IF;
    INSERT INTO multimed.checked SELECT t.id, present, clock_timestamp() FROM (SELECT DISTINCT unnest(tables)) t (id) ORDER BY t.id -- one order of locks
        ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, at = excluded.at;
END $$;

-- Seals a transaction that statements of several clients share. The first receipt's row has the WriteSet; each of the
-- others has a row, and thus an SCN, of its own without changes. All SCNs are assigned while the transaction holds all
-- its locks. "others" are the SCNs of the other receipts, in their order; null if the transaction wrote nothing.
-- "tables" are the names of the tables that the statements change, as they are written: the check is the fence behind
-- the middleware's own knowledge of the schema, which may be outdated.
CREATE OR REPLACE FUNCTION multimed.seal_shared(session_ids bigint[], sequences int[], tables pg_catalog.text[], after bigint, epoch bigint,
    OUT scn bigint, OUT rows pg_catalog.text, OUT spill smallint, OUT pieces int, OUT xid pg_catalog.xid8, OUT ddl boolean, OUT held pg_catalog.text, OUT others bigint[]) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM multimed.require_shareable(ARRAY(SELECT pg_catalog.to_regclass(t.name)::pg_catalog.oid FROM pg_catalog.unnest(tables) t (name)));
    SELECT s.scn, s.rows, s.spill, s.pieces, s.xid, s.ddl, s.held INTO scn, rows, spill, pieces, xid, ddl, held
        FROM multimed.seal(session_ids[1], sequences[1], after, false, epoch) s;
    IF scn IS NOT NULL AND pg_catalog.cardinality(session_ids) OPERATOR(pg_catalog.>) 1 THEN
        others := multimed.write_receipts(session_ids[2:], sequences[2:], scn, epoch);
    END IF;
END $$;

-- Writes receipts of the open transaction that has just been sealed, and returns their SCNs.
CREATE OR REPLACE FUNCTION multimed.write_receipts(session_ids bigint[], sequences int[], after bigint, epoch bigint) RETURNS bigint[]
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    scns bigint[] := '{}';
    last bigint := after;
    mine xid8 := pg_current_xact_id();
BEGIN
    PERFORM multimed.admit(epoch);
    FOR i IN 1 .. cardinality(session_ids) LOOP
        DECLARE
            scn bigint := multimed.next_scn();
        BEGIN
            IF scn <= last OR scn - last > 1::bigint << 40 THEN
                scn := multimed.later_scn(last);
            END IF;
            last := scn;
            scns := scns || scn;
        END;
    END LOOP;
    CASE coalesce(pg_sequence_last_value('multimed.turn'), 0) & 3
        WHEN 0 THEN INSERT INTO multimed.sealed_0 SELECT u.scn, u.session_id, u.sequence, mine, NULL, NULL, '', NULL FROM unnest(scns, session_ids, sequences) u (scn, session_id, sequence);
        WHEN 1 THEN INSERT INTO multimed.sealed_1 SELECT u.scn, u.session_id, u.sequence, mine, NULL, NULL, '', NULL FROM unnest(scns, session_ids, sequences) u (scn, session_id, sequence);
        WHEN 2 THEN INSERT INTO multimed.sealed_2 SELECT u.scn, u.session_id, u.sequence, mine, NULL, NULL, '', NULL FROM unnest(scns, session_ids, sequences) u (scn, session_id, sequence);
        ELSE INSERT INTO multimed.sealed_3 SELECT u.scn, u.session_id, u.sequence, mine, NULL, NULL, '', NULL FROM unnest(scns, session_ids, sequences) u (scn, session_id, sequence);
    END CASE;
    RETURN scns;
END $$;

-- Permits the guards of the open transaction to be fired and returns the token that permits it; null if there is no
-- witness. Only the middleware that owns the master can do this. For performance, one query reads the witness and
-- checks the epoch.
CREATE OR REPLACE FUNCTION multimed.permit_seal(epoch bigint) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    stands tid := nullif(current_setting('multimed.witness', true), '')::tid;
    mine xid8;
    permitted text;
    sealing text;
BEGIN
    IF stands IS NOT NULL THEN
        mine := pg_current_xact_id_if_assigned();
        CASE multimed.place()
            WHEN 0 THEN SELECT multimed.seal_token(u.seed) INTO permitted FROM multimed.unsealed_0 u WHERE u.ctid = stands AND u.xid = mine AND permit_seal.epoch = (SELECT b.epoch FROM multimed.base b);
            WHEN 1 THEN SELECT multimed.seal_token(u.seed) INTO permitted FROM multimed.unsealed_1 u WHERE u.ctid = stands AND u.xid = mine AND permit_seal.epoch = (SELECT b.epoch FROM multimed.base b);
            ELSE SELECT multimed.seal_token(u.seed) INTO permitted FROM multimed.unsealed_2 u WHERE u.ctid = stands AND u.xid = mine AND permit_seal.epoch = (SELECT b.epoch FROM multimed.base b);
        END CASE;
        IF permitted IS NULL THEN
            PERFORM multimed.admit(epoch);
            PERFORM multimed.refuse_record();
        END IF;
        sealing := set_config('multimed.sealing', permitted, true);
    END IF;
    RETURN permitted;
END $$;

-- SQL can change the setting that contains the WriteSet: a transaction whose WriteSet does not match its witness cannot
-- commit. "permitted" is the token of the witness before deferred triggers ran, which can change settings, too. The
-- witness is deleted: nothing can be added to the WriteSet by what the engine runs after the seal, at the commit itself
-- (the query of a cursor WITH HOLD).
CREATE OR REPLACE FUNCTION multimed.write_seal(session_id bigint, sequence int, after bigint, epoch bigint, permitted text,
    OUT scn bigint, OUT rows text, OUT spill smallint, OUT pieces int, OUT xid xid8, OUT ddl boolean) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place int := multimed.place();
    stands tid;
    mine xid8;
    checked boolean;
BEGIN
    rows := current_setting('multimed.writeset', true);
    IF permitted IS NULL THEN
        checked := rows = '' AND coalesce(current_setting('multimed.witness', true), '') = '';
    ELSE
        stands := nullif(current_setting('multimed.witness', true), '')::tid;
        mine := pg_current_xact_id_if_assigned();
        CASE place
            WHEN 0 THEN DELETE FROM multimed.unsealed_0 u WHERE u.ctid = stands AND u.xid = mine AND write_seal.epoch = (SELECT b.epoch FROM multimed.base b)
                RETURNING u.pieces, u.ddl, u.checksum = hashtextextended(write_seal.rows, u.seed) AND permitted = multimed.seal_token(u.seed) INTO pieces, ddl, checked;
            WHEN 1 THEN DELETE FROM multimed.unsealed_1 u WHERE u.ctid = stands AND u.xid = mine AND write_seal.epoch = (SELECT b.epoch FROM multimed.base b)
                RETURNING u.pieces, u.ddl, u.checksum = hashtextextended(write_seal.rows, u.seed) AND permitted = multimed.seal_token(u.seed) INTO pieces, ddl, checked;
            ELSE DELETE FROM multimed.unsealed_2 u WHERE u.ctid = stands AND u.xid = mine AND write_seal.epoch = (SELECT b.epoch FROM multimed.base b)
                RETURNING u.pieces, u.ddl, u.checksum = hashtextextended(write_seal.rows, u.seed) AND permitted = multimed.seal_token(u.seed) INTO pieces, ddl, checked;
        END CASE;
    END IF;
    IF NOT coalesce(checked, false) THEN
        PERFORM multimed.admit(epoch);
        PERFORM multimed.refuse_record();
    END IF;
    spill := CASE WHEN pieces > 0 THEN place END;
    IF rows = '' AND spill IS NULL
            AND (pg_current_xact_id_if_assigned() IS NULL OR current_setting('transaction_read_only') = 'on') THEN
        RETURN; -- a read-only transaction writes temporary tables, and statistics by ANALYZE, and no receipt
    END IF;
    IF permitted IS NULL THEN -- otherwise the query above has checked the epoch
        PERFORM multimed.admit(epoch);
    END IF;
    xid := pg_current_xact_id();
    scn := multimed.next_scn();
    IF scn <= after OR (after > 0 AND scn - after > 1::bigint << 40) THEN
        scn := multimed.later_scn(after);
    END IF;
    IF spill IS NULL THEN
        pieces := NULL;
        ddl := NULL;
    ELSE
        INSERT INTO multimed.spilling VALUES (scn, spill);
    END IF;
    CASE coalesce(pg_sequence_last_value('multimed.turn'), 0) & 3 -- null until the first turn
        WHEN 0 THEN INSERT INTO multimed.sealed_0 VALUES (scn, session_id, sequence, xid, spill, pieces, rows, ddl);
        WHEN 1 THEN INSERT INTO multimed.sealed_1 VALUES (scn, session_id, sequence, xid, spill, pieces, rows, ddl);
        WHEN 2 THEN INSERT INTO multimed.sealed_2 VALUES (scn, session_id, sequence, xid, spill, pieces, rows, ddl);
        ELSE INSERT INTO multimed.sealed_3 VALUES (scn, session_id, sequence, xid, spill, pieces, rows, ddl);
    END CASE;
END $$;

-- Returns an SCN above all that can have been assigned, if SQL has set the sequence back or near to its end. One
-- transaction at a time does this.
CREATE OR REPLACE FUNCTION multimed.later_scn(after bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    scn bigint;
BEGIN
    LOCK TABLE multimed.base IN SHARE UPDATE EXCLUSIVE MODE; -- conflicts with itself, and with no lock of a row
    scn := nextval('multimed.scn');
    IF scn <= after OR scn - after > 1::bigint << 40 THEN
        scn := setval('multimed.scn', after + 65536);
    END IF;
    RETURN scn;
END $$;
