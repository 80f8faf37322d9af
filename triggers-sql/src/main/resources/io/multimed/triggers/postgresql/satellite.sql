-- Multimed's schema on a satellite. multimed.applied contains the applied SCN and the history in one row, which changes
-- in the same transactions as the rows: each WriteSet is applied exactly once (architecture 4.3).
CREATE SCHEMA IF NOT EXISTS multimed;
CREATE TABLE IF NOT EXISTS multimed.applied (scn bigint NOT NULL, cluster uuid NOT NULL) WITH (fillfactor = 10);

-- The views whose rows are stored in a table, with the statement that makes the view an ordinary one.
CREATE TABLE IF NOT EXISTS multimed.materialized (view_name text PRIMARY KEY, storage text NOT NULL, restoration text NOT NULL);

-- Fails if the snapshot of the transaction precedes the stored rows of a view, in which it would find no row.
CREATE OR REPLACE FUNCTION multimed.require_rows(wanted text) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM multimed.materialized WHERE storage = wanted) THEN
        RAISE EXCEPTION 'the schema has changed since the transaction began' USING ERRCODE = '40001', HINT = 'Repeat the transaction.';
    END IF;
    RETURN true;
END $$;

-- Makes all views ordinary ones again, as they are on the master. A view that was created again in the meantime, by a
-- new copy, remains as it is. Waits for readers for the time of "turn" only.
CREATE OR REPLACE FUNCTION multimed.restore_views(turn text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    stored record;
    change text;
BEGIN
    PERFORM set_config('lock_timeout', turn, true);
    FOR stored IN SELECT * FROM multimed.materialized LOOP
        IF EXISTS (SELECT FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
            WHERE r.ev_class = to_regclass(stored.view_name) AND d.refclassid = 'pg_class'::regclass AND d.refobjid = to_regclass('multimed.' || stored.storage))
        THEN
            EXECUTE stored.restoration;
        END IF;
        FOR change IN
            SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) FROM pg_trigger WHERE starts_with(tgname, stored.storage)
            UNION ALL
            SELECT format('DROP FUNCTION %s', oid::regprocedure) FROM pg_proc WHERE pronamespace = 'multimed'::regnamespace AND starts_with(proname, stored.storage)
            UNION ALL
            SELECT format('DROP TABLE %s', oid::regclass) FROM pg_class
            WHERE relnamespace = 'multimed'::regnamespace AND relkind = 'r' AND starts_with(relname, stored.storage)
        LOOP
            EXECUTE change;
        END LOOP;
    END LOOP;
    DELETE FROM multimed.materialized;
    PERFORM set_config('lock_timeout', '0', true);
END $$;

-- Fails, because a statement of the applier has not found the rows that the master had changed.
CREATE OR REPLACE FUNCTION multimed.report_difference(found bigint, wanted bigint, relation text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is not as the master had it: % of % changed rows found', relation, found, wanted USING ERRCODE = 'XX001';
END $$;

-- A satellite stores the master's values and computes none: generated and identity columns become plain ones, and
-- foreign keys are checked by the master only. DDL waits for readers for the time of "turn" only.
CREATE OR REPLACE FUNCTION multimed.make_plain(relation regclass, turn text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    change text;
BEGIN
    FOR change IN
        SELECT format('ALTER TABLE %s ALTER COLUMN %I DROP %s', relation, attname, CASE WHEN attidentity <> '' THEN 'IDENTITY' ELSE 'EXPRESSION' END)
        FROM pg_attribute WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped AND (attidentity <> '' OR attgenerated = 's')
        UNION ALL
        SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', relation, conname) FROM pg_constraint WHERE conrelid = relation AND contype = 'f'
    LOOP
        PERFORM set_config('lock_timeout', turn, true);
        EXECUTE change;
        PERFORM set_config('lock_timeout', '0', true);
    END LOOP;
END $$;

-- Removes the rows of a relation that the satellite does not hold any more, because the relation has another name.
-- Waits for readers for the time of "turn" only.
CREATE OR REPLACE FUNCTION multimed.remove_rows(relation regclass, turn text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('lock_timeout', turn, true);
    EXECUTE format('TRUNCATE ONLY %s', relation);
    PERFORM set_config('lock_timeout', '0', true);
END $$;

-- The relation and its ancestors, whose rows include those of the relation; with each, all tables whose rows a query on
-- it reads, and whether policies decide which rows: only the master has policies.
CREATE OR REPLACE FUNCTION multimed.parts(relation regclass) RETURNS TABLE (ancestor regclass, schema_name text, table_name text, has_policies boolean)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY WITH RECURSIVE above (id) AS (
        SELECT relation::oid UNION SELECT i.inhparent FROM above JOIN pg_inherits i ON i.inhrelid = above.id
    ), below (top, id) AS (
        SELECT a.id, a.id FROM above a UNION SELECT below.top, i.inhrelid FROM below JOIN pg_inherits i ON i.inhparent = below.id)
    SELECT below.top::regclass, n.nspname::text, c.relname::text, c.relrowsecurity
    FROM below JOIN pg_class c ON c.oid = below.id JOIN pg_namespace n ON n.oid = c.relnamespace;
END $$;

-- Grants or revokes the role "reader" access to a relation. A privilege that exists is not granted again: a new version
-- of a catalog row invalidates the plans of all sessions.
CREATE OR REPLACE FUNCTION multimed.open_to(reader name, relation regclass, is_open boolean) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF is_open <> has_table_privilege(reader, relation, 'SELECT') THEN
        EXECUTE format(CASE WHEN is_open THEN 'GRANT SELECT ON %s TO %I' ELSE 'REVOKE SELECT ON %s FROM %I' END, relation, reader);
    END IF;
END $$;

-- Grants the role "reader" USAGE on the schema of a relation.
CREATE OR REPLACE FUNCTION multimed.open_schema_to(reader name, relation regclass) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    home regnamespace := (SELECT c.relnamespace FROM pg_class c WHERE c.oid = relation);
BEGIN
    IF NOT has_schema_privilege(reader, home, 'USAGE') THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %s TO %I', home, reader);
    END IF;
END $$;

-- Grants access on a satellite that holds all tables: to the relation and its ancestors, unless row-level security
-- applies to one of their parts.
CREATE OR REPLACE FUNCTION multimed.open_all_to(reader name, relation regclass) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part record;
BEGIN
    FOR part IN SELECT p.ancestor, bool_and(NOT p.has_policies) AS is_open FROM multimed.parts(relation) p GROUP BY p.ancestor LOOP
        PERFORM multimed.open_to(reader, part.ancestor, part.is_open);
    END LOOP;
    PERFORM multimed.open_schema_to(reader, relation);
END $$;

-- Limits what the role "reader" may run, among the functions from the identifier "first" on: to functions that change
-- nothing, and that do not depend on the server, its sessions, or texts of SQL in their arguments. The proof that a
-- statement is a pure read is a conclusion from its text; if the conclusion is wrong, the engine refuses the statement
-- (42501), and the master runs it. Functions of extensions are open if the extension is known, or if an operator or
-- cast of the extension stands for the function; functions of users, which the master has sent, if they are stable or
-- immutable.
CREATE OR REPLACE FUNCTION multimed.limit_functions(reader name, first oid, of_server text, harmless text[], known text[], exception text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    change text;
BEGIN
    FOR change IN
        WITH member AS (
            SELECT d.objid AS id, e.extname AS extension FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
            WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
        ), code AS (
            SELECT p.oid, has_function_privilege(reader, p.oid, 'EXECUTE') AS is_open,
                CASE WHEN p.pronamespace = 'multimed'::regnamespace THEN p.proname = 'require_rows'
                    WHEN p.oid < 16384 OR m.id IS NOT NULL THEN p.proname = ANY (harmless)
                        OR (p.provolatile <> 'v' AND p.proname !~ of_server AND p.proname <> exception
                            AND (p.oid < 16384 OR m.extension = ANY (known)
                                OR EXISTS (SELECT FROM pg_operator o WHERE o.oprcode = p.oid)
                                OR EXISTS (SELECT FROM pg_cast c WHERE c.castfunc = p.oid)))
                    ELSE p.provolatile <> 'v' END AS may_run
            FROM pg_proc p LEFT JOIN member m ON m.id = p.oid WHERE p.oid >= first
        )
        SELECT CASE WHEN may_run THEN format('GRANT EXECUTE ON ROUTINE %s TO %I', oid::regprocedure, reader)
            ELSE format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC, %I', oid::regprocedure, reader) END
        FROM code WHERE may_run <> is_open
    LOOP
        EXECUTE change;
    END LOOP;
END $$;

-- Closes the engine's catalog to the role "reader", except for the tables from which the engine's driver reads types
-- and descriptions of results: they differ between nodes.
CREATE OR REPLACE FUNCTION multimed.close_catalog(reader name, except_for text[]) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    change text;
BEGIN
    FOR change IN
        SELECT format('REVOKE ALL ON %s FROM PUBLIC', c.oid::regclass) FROM pg_class c
        WHERE c.relnamespace IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) AND c.relkind IN ('r', 'v')
            AND c.relname <> ALL (except_for) AND has_any_column_privilege(reader, c.oid, 'SELECT')
    LOOP
        EXECUTE change;
    END LOOP;
END $$;
