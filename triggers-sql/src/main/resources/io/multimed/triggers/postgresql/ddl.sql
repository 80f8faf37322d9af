-- Capture of DDL (architecture 4.4, 6.3). A satellite has a projection of the master's schema: the objects that reads
-- require (schemas, types, tables, columns, keys, indexes, functions, views), without those that only writes require
-- (defaults, checks, foreign keys, triggers, identities, sequences, grants). A satellite therefore does not run the
-- text of a statement. After each command, event triggers compute the projection of the objects that the command
-- touched, and append the difference to the state that the satellites have been sent to the WriteSet. This is the same
-- for a statement of a client, a DO block, a function, and the script of an extension.
-- The script can run again at every start.

-- The projection that the satellites have been sent, up to the open transaction. "id" is the object's identifier in its
-- catalog; for a column or attribute, that of its table or type, and "part" is its number. "owner" is the table or type
-- to which the object belongs. The ranks are in the order in which objects can be created:
-- * 10 schema, 20 extension, 25 collation, 30 enum, 31 domain, 32 composite type, 33 range type, 40 attribute
-- * 50 table, 51 closed view in place of another relation, 60 column, 65 row-level security; then the rows
-- * 70 NOT NULL, 72 cast, 74 procedure in place of a function, 75 function, 80 position under a parent, 90 key
-- * 95 index, 100 view
CREATE TABLE IF NOT EXISTS multimed.told (
    rank int NOT NULL, id oid NOT NULL, part int NOT NULL, owner oid NOT NULL, schema_name text NOT NULL, name text NOT NULL,
    signature text NOT NULL, inherited boolean NOT NULL, PRIMARY KEY (id, rank, part));
CREATE INDEX IF NOT EXISTS told_owner ON multimed.told (owner);

-- Returns a statement that may fail on a satellite. The satellite then runs the other statement, or does without the
-- object, and the master answers queries that need it. A lock timeout and a deadlock are no such failures: the
-- satellite repeats the transaction.
CREATE OR REPLACE FUNCTION multimed.tried(statement text, otherwise text DEFAULT NULL) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT format('DO %L', format('BEGIN EXECUTE %L; EXCEPTION WHEN lock_not_available OR deadlock_detected THEN RAISE; WHEN OTHERS THEN %s END', statement,
        CASE WHEN otherwise IS NULL THEN 'NULL;'
            ELSE format('BEGIN %s; EXCEPTION WHEN lock_not_available OR deadlock_detected THEN RAISE; WHEN OTHERS THEN NULL; END;', otherwise) END))
$$;

-- Returns a statement that creates a key. A satellite does without the key if the entry of a row is too large there:
-- the engines may compress values differently.
CREATE OR REPLACE FUNCTION multimed.within_limits(statement text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT format('DO %L', format('BEGIN EXECUTE %L; EXCEPTION WHEN program_limit_exceeded THEN NULL; END', statement))
$$;

-- Appends ANALYZE for those of the relations that satellites have; NULL stands for all. The statement may fail on a
-- satellite: statistics are no part of the copy.
CREATE OR REPLACE FUNCTION multimed.share_analyze(relations oid[]) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tables text := (SELECT string_agg(format('%I.%I', n.nspname, c.relname), ', ') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.oid = ANY (relations) AND c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
            AND n.nspname NOT IN ('multimed', 'pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_%');
BEGIN
    IF relations IS NULL OR tables IS NOT NULL THEN
        PERFORM multimed.append_statement(multimed.tried(concat('ANALYZE ', tables)));
    END IF;
END $$;

-- The operators that satellites lack although they have others with the same names: a query that runs such an operator
-- would not fail there, but run the other one. The empty name stands for those that a query can run without its text
-- containing the name: operators that keywords such as IN, LIKE and USING stand for, those of a type's default operator
-- class, and casts. Satellites lack users' operators and operator classes, and users' casts except those of rank 72.
-- They have those of extensions, and the cast that the engine creates with a range type; but not what users have added
-- to an extension, which runs a function that is no member.
CREATE OR REPLACE VIEW multimed.masters_operator AS
    WITH own AS (
        SELECT o.oid, o.oprname::text AS name, o.oid < 16384 OR (EXISTS (SELECT FROM pg_catalog.pg_depend d
                WHERE d.classid = 'pg_catalog.pg_operator'::pg_catalog.regclass AND d.objid = o.oid AND d.deptype = 'e')
            AND EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = o.oprowner AND r.rolsuper)
            AND (o.oprcode::oid < 16384 OR EXISTS (SELECT FROM pg_catalog.pg_depend d
                WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = o.oprcode AND d.deptype = 'e'))) AS everywhere
        FROM pg_catalog.pg_operator o
    )
    SELECT CASE WHEN o.name IN ('=', '<>', '<', '>', '<=', '>=', '~', '!~', '~~', '!~~', '~~*', '!~~*') THEN '' ELSE o.name END AS name
    FROM own o WHERE NOT o.everywhere AND EXISTS (SELECT FROM own s WHERE s.name = o.name AND s.everywhere)
    UNION SELECT '' FROM pg_catalog.pg_opclass c WHERE c.oid >= 16384 AND c.opcdefault AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
        WHERE d.classid = 'pg_catalog.pg_opclass'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e')
    UNION SELECT '' FROM pg_catalog.pg_cast k WHERE k.oid >= 16384
        AND NOT EXISTS (SELECT FROM multimed.told t WHERE t.rank = 72 AND t.id = k.oid)
        AND NOT (EXISTS (SELECT FROM pg_catalog.pg_depend d
                WHERE d.classid = 'pg_catalog.pg_cast'::pg_catalog.regclass AND d.objid = k.oid AND d.deptype = 'e')
            AND (k.castfunc < 16384 OR EXISTS (SELECT FROM pg_catalog.pg_depend d
                WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = k.castfunc AND d.deptype = 'e')))
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
            WHERE p.oid = k.castfunc AND p.prosrc ~ '^(multi)?range_constructor' AND l.lanname = 'internal');

-- Domains that are constrained or based on object identifiers, and types that contain them: rows, also those of tables,
-- arrays, ranges and domains. Satellites lack the constraints.
CREATE OR REPLACE VIEW multimed.checked_type AS
    WITH RECURSIVE checked (id) AS (
        SELECT k.contypid FROM pg_catalog.pg_constraint k WHERE k.contypid <> 0
        UNION SELECT r.reltype FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class r ON r.oid = a.attrelid AND r.relkind = 'c'
            WHERE a.atttypid::regtype::text ~ '^(oid|reg[a-z]+)(\[])?$' AND NOT a.attisdropped
        UNION SELECT t.oid FROM pg_catalog.pg_type t WHERE t.typtype = 'd'
            AND (t.typnotnull OR t.typbasetype = 'oid'::regtype OR t.typbasetype::regtype::text LIKE 'reg%')
        UNION SELECT t.oid FROM checked c JOIN pg_catalog.pg_type t ON t.oid >= 16384 AND t.oid <> c.id AND (t.typbasetype = c.id OR t.typelem = c.id
            OR EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = t.typrelid AND a.atttypid = c.id AND NOT a.attisdropped)
            OR EXISTS (SELECT FROM pg_catalog.pg_range g WHERE g.rngsubtype = c.id AND t.oid IN (g.rngtypid, g.rngmultitypid))))
    SELECT t.oid AS id, t.typname::text AS name FROM checked c JOIN pg_catalog.pg_type t ON t.oid = c.id
    WHERE t.typnamespace NOT IN ('information_schema'::regnamespace, 'multimed'::regnamespace);

-- Returns whether an expression, in the engine's own form, calls a function of the engine that changes something, or
-- answers differently on each node.
CREATE OR REPLACE FUNCTION multimed.calls_impure(expression text) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
SELECT EXISTS (SELECT FROM regexp_matches(expression, ':(?:funcid|opfuncid|aggfnoid|winfnoid) (\d{1,5})(?!\d)', 'g') AS said
    JOIN pg_catalog.pg_proc p ON p.oid = said[1]::oid WHERE p.oid < 16384 AND (p.provolatile = 'v'
        OR p.proname ~ '^(pg_(?!sleep)|txid_|inet_(client|server)|has_|row_security|current_|session_user|system_user|getpgusername|hash(enum|_record|_array|_range|_multirange)|(record|array|range|multirange)_send$|mxid_age|(query|table|schema|database|cursor)_to_xml|ts_stat|version$)'))
$$;

-- The objects by which a query runs such a function although its text does not show it: checks of domains, policies of
-- tables, and operators and casts of users. Their functions are no dependencies, because they belong to the engine.
CREATE OR REPLACE VIEW multimed.hidden_call AS
    SELECT k.conname::text AS name FROM pg_catalog.pg_constraint k WHERE k.contypid <> 0 AND multimed.calls_impure(k.conbin::text)
    UNION ALL SELECT y.polname::text FROM pg_catalog.pg_policy y WHERE multimed.calls_impure(y.polqual::text)
    UNION ALL SELECT o.oprname::text FROM pg_catalog.pg_operator o WHERE o.oid >= 16384 AND multimed.calls_impure(':funcid ' || o.oprcode::oid)
    UNION ALL SELECT 'cast' FROM pg_catalog.pg_cast c WHERE c.oid >= 16384 AND multimed.calls_impure(':funcid ' || c.castfunc);

-- Returns whether only the master may answer queries on a view, because the result differs between nodes. Such a view
-- uses an operator that satellites lack, casts to a domain, whose constraints they lack, depends on the user or the
-- server (from CURRENT_ROLE on), reads the catalog, calls built-in functions that do so, that compute with object
-- identifiers in values, or that may change the session or anything else, or returns object identifiers (types from oid
-- to regcollation) or system columns. Tests the text of the rule, because the catalog records no dependencies on
-- built-in objects.
CREATE OR REPLACE FUNCTION multimed.is_masters(view oid) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
SELECT EXISTS (SELECT FROM pg_catalog.pg_rewrite w WHERE w.ev_class = view AND (
    EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = w.oid
        AND d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass AND d.refobjid >= 16384
        AND EXISTS (SELECT FROM pg_catalog.pg_operator o JOIN multimed.masters_operator m ON m.name = o.oprname WHERE o.oid = d.refobjid))
    OR w.ev_action::text ~ '\{COERCE[A-Z]+DOMAIN |SQLVALUEFUNCTION :op (9|1[0-4]) |:(consttype|resulttype|funcresulttype) (24|26|220[2-6]|4089|4096|4191) |:varattno -'
    OR multimed.calls_impure(w.ev_action::text)
    OR EXISTS (SELECT FROM pg_catalog.pg_depend d JOIN multimed.checked_type t ON t.id = d.refobjid
        WHERE d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = w.oid AND d.refclassid = 'pg_catalog.pg_type'::pg_catalog.regclass)
    OR EXISTS (SELECT FROM regexp_matches(w.ev_action::text, ':relid (\d+)', 'g') AS said JOIN pg_catalog.pg_class c ON c.oid = said[1]::oid
        WHERE c.relnamespace IN ('pg_catalog'::pg_catalog.regnamespace, 'information_schema'::pg_catalog.regnamespace))))
$$;

-- Returns the same for a function, by the words of its definition, and also if it may change a setting, runs a text, or
-- handles errors: a satellite may report an error that the master does not. In doubt the function runs on the master.
CREATE OR REPLACE FUNCTION multimed.is_masters_function(definition text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
SELECT regexp_replace(definition, '\mraise\s+exception\M', '', 'gi') ~* '\mexception\M|\mu&"'
    OR definition ~* '\m((current_|session_|system_)user|getpgusername|information_schema|execute|hash(enum|_record|_array|_range|_multirange)[a-z]*|(record|array|range|multirange)_send|mxid_age|current_(role|catalog|database|schemas?|setting)|oid|reg(class|type|proc|procedure|oper|operator|namespace|role|collation)|to_reg[a-z]+'
    '|tableoid|ctid|set_config|[xc]m(in|ax)|txid_[a-z_]+|inet_(client|server)_[a-z]+|has_[a-z_]+|lo_[a-z]+|(query|table|schema|database|cursor)_to_xml[a-z]*|ts_stat|ts_rewrite|pg_(?!catalog\M|temp\M|sleep)[a-z_]+)\M|\mversion *\('
$$;

-- Returns whether a user's function can only compute a value from its arguments by built-in functions: its text
-- contains no word of a statement or of a function that could do more, and no name of a function that users have
-- defined. A function whose owner is not a superuser is not plain: it can tell satellites from the master by the user
-- or the settings, and fail there on purpose.
CREATE OR REPLACE FUNCTION multimed.is_plain(function oid) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
WITH code AS (
    SELECT p.*, concat_ws(' ', coalesce(pg_catalog.pg_get_function_sqlbody(p.oid), p.prosrc), pg_catalog.pg_get_function_arguments(p.oid)) AS body
    FROM pg_catalog.pg_proc p WHERE p.oid = function
), added AS (
    SELECT d.classid, d.objid FROM pg_catalog.pg_depend d WHERE d.deptype = 'e'
)
SELECT EXISTS (SELECT FROM code c JOIN pg_catalog.pg_language l ON l.oid = c.prolang
    JOIN pg_catalog.pg_roles r ON r.oid = c.proowner AND r.rolsuper
    WHERE l.lanname IN ('sql', 'plpgsql') AND c.provolatile = 'i' AND NOT c.prosecdef AND c.proconfig IS NULL AND c.body !~ '[\\"]'
        AND c.body !~* '\m(from|join|into|table|values|execute|perform|call|do|open|fetch|insert|update|delete|merge|truncate|copy|create|drop|alter|set|set_config|nextval|setval|raise|notify|listen|lock)\M'
        AND c.body !~* '\m(pg_|lo_|txid_|dblink|ts_stat|ts_rewrite|[a-z]+_to_xml)'
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_proc q WHERE q.oid >= 16384 AND q.pronamespace <> 'multimed'::pg_catalog.regnamespace AND q.prokind <> 'p'
            AND position(lower(q.proname) IN lower(c.body)) > 0 AND NOT EXISTS (SELECT FROM added a WHERE a.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND a.objid = q.oid)))
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_operator o WHERE o.oid >= 16384
        AND NOT EXISTS (SELECT FROM added a WHERE a.classid = 'pg_catalog.pg_operator'::pg_catalog.regclass AND a.objid = o.oid))
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_cast k WHERE k.oid >= 16384
        AND NOT EXISTS (SELECT FROM added a WHERE a.classid = 'pg_catalog.pg_cast'::pg_catalog.regclass AND a.objid = k.oid))
$$;

-- Returns the arguments of a function as a procedure with the same ones declares them.
CREATE OR REPLACE FUNCTION multimed.declared_arguments(function oid) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
SELECT coalesce(string_agg(concat_ws(' ', CASE WHEN p.provariadic <> 0 AND a.place = p.pronargs THEN 'VARIADIC' END, quote_ident(nullif(i.names[a.place], '')),
    format_type(a.type, NULL), CASE WHEN a.place > p.pronargs - p.pronargdefaults THEN 'DEFAULT NULL' END), ', ' ORDER BY a.place), '')
FROM pg_catalog.pg_proc p CROSS JOIN unnest(p.proargtypes::oid[]) WITH ORDINALITY a (type, place)
    CROSS JOIN LATERAL (SELECT array_agg(n.name ORDER BY n.place) AS names FROM unnest(p.proargnames) WITH ORDINALITY n (name, place)
        WHERE p.proargmodes IS NULL OR p.proargmodes[n.place] IN ('i', 'b', 'v')) i
WHERE p.oid = function
$$;

-- A row of the projection. "make" is the statement that creates the object; for a column or attribute, its definition
-- only.
DO $do$
BEGIN
    IF to_regtype('multimed.projected') IS NULL THEN
        CREATE TYPE multimed.projected AS (
            rank int, id oid, part int, owner oid, schema_name text, name text, signature text, inherited boolean, make text);
    END IF;
END $do$;

-- The catalogs that the projection includes.
CREATE OR REPLACE FUNCTION multimed.projectable() RETURNS oid[] LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
WITH place AS (
    SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname NOT IN ('multimed', 'information_schema') AND n.nspname NOT LIKE 'pg\_%'
)
SELECT array_agg(o.oid) FROM (
    SELECT oid FROM place UNION SELECT oid FROM pg_catalog.pg_extension
    UNION SELECT c.oid FROM pg_catalog.pg_collation c JOIN place p ON p.oid = c.collnamespace
    UNION SELECT t.oid FROM pg_catalog.pg_type t JOIN place p ON p.oid = t.typnamespace
    UNION SELECT c.oid FROM pg_catalog.pg_class c JOIN place p ON p.oid = c.relnamespace
    UNION SELECT k.oid FROM pg_catalog.pg_cast k WHERE k.oid >= 16384
    UNION SELECT f.oid FROM pg_catalog.pg_proc f JOIN place p ON p.oid = f.pronamespace) o
$$;

-- A satellite runs the functions of indexes and partition keys when it applies rows, with all privileges, and an error
-- would stop it. It has only those indexes and partitioned tables whose functions are plain, and the partitions of all.
-- Returns the projection of the objects with these oids, or of all objects. A name may change while the signature
-- stays: a rename. Planned once per session, because planning takes longer than execution.
CREATE OR REPLACE FUNCTION multimed.projection(touched oid[]) RETURNS TABLE (rank int, id oid, part int, owner oid, schema_name text, name text,
    signature text, inherited boolean, make text) LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off AS $$
#variable_conflict use_column
BEGIN
touched := coalesce(touched, multimed.projectable());
RETURN QUERY
WITH place AS NOT MATERIALIZED (
    SELECT n.oid, n.nspname FROM pg_catalog.pg_namespace n
    WHERE n.nspname NOT IN ('multimed', 'information_schema') AND n.nspname NOT LIKE 'pg\_%'
), member AS NOT MATERIALIZED (
    SELECT d.classid, d.objid FROM pg_catalog.pg_depend d WHERE d.deptype = 'e'
), foreign_code AS NOT MATERIALIZED (
    SELECT d.objid AS oid FROM pg_catalog.pg_depend d
    WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid >= 16384 AND d.refclassid IN ('pg_catalog.pg_proc'::pg_catalog.regclass,
            'pg_catalog.pg_operator'::pg_catalog.regclass, 'pg_catalog.pg_opclass'::pg_catalog.regclass, 'pg_catalog.pg_opfamily'::pg_catalog.regclass)
        AND NOT EXISTS (SELECT FROM member m WHERE m.classid = d.refclassid AND m.objid = d.refobjid)
        AND (d.refclassid <> 'pg_catalog.pg_proc'::pg_catalog.regclass OR NOT multimed.is_plain(d.refobjid))
    UNION ALL
    -- The hash of an enum's value, and of a value that contains one, differs between nodes, and thereby the partition.
    SELECT h.partrelid FROM pg_catalog.pg_partitioned_table h
    WHERE h.partstrat = 'h' AND (h.partexprs IS NOT NULL OR EXISTS (SELECT FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
        WHERE a.attrelid = h.partrelid AND a.attnum = ANY (h.partattrs) AND t.oid >= 16384 AND NOT (t.typtype = 'b' AND t.typelem = 0)
            AND NOT (t.typtype = 'd' AND t.typbasetype < 16384)))
), absent AS NOT MATERIALIZED (
    -- Without one of its parts, a partitioned table would have too few rows.
    SELECT a.part::pg_catalog.oid AS oid FROM foreign_code u JOIN pg_catalog.pg_class c ON c.oid = u.oid AND c.relkind = 'p'
        CROSS JOIN pg_catalog.pg_partition_ancestors(c.oid) a (part)
), relation AS (
    SELECT c.oid, c.reltype, c.relkind, c.relispartition, c.relpartbound, n.nspname, c.relname, format('%I.%I', n.nspname, c.relname) AS quoted
    FROM pg_catalog.pg_class c JOIN place n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v') AND c.relpersistence <> 't' AND c.oid = ANY (touched)
        AND (c.relkind <> 'p' OR NOT EXISTS (SELECT FROM absent u WHERE u.oid = c.oid))
        AND NOT EXISTS (SELECT FROM member m WHERE m.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND m.objid = c.oid)
), type AS (
    SELECT t.*, n.nspname, format('%I.%I', n.nspname, t.typname) AS quoted FROM pg_catalog.pg_type t JOIN place n ON n.oid = t.typnamespace
    WHERE t.typtype IN ('e', 'd', 'c', 'r') AND t.oid = ANY (touched)
        AND (t.typrelid = 0 OR EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = t.typrelid AND c.relkind = 'c'))
        AND NOT EXISTS (SELECT FROM member m WHERE m.classid = 'pg_catalog.pg_type'::pg_catalog.regclass AND m.objid = t.oid)
), attribute AS NOT MATERIALIZED (
    SELECT a.attrelid, a.attnum::int AS part, a.attname::text AS name, a.attnotnull, a.attinhcount > 0 AS inherited,
        format('%s %s %s', a.atttypid, a.atttypmod, a.attcollation) AS signature,
        format('%I %s%s', a.attname, format_type(a.atttypid, a.atttypmod),
            CASE WHEN a.attcollation <> t.typcollation THEN format(' COLLATE %s', a.attcollation::pg_catalog.regcollation) ELSE '' END) AS make
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid WHERE a.attnum > 0 AND NOT a.attisdropped
), index_form AS NOT MATERIALIZED (
    SELECT i.*, format('%s %s %s %s %s %s %s %s', i.indisunique, i.indkey, i.indcollation, i.indclass, i.indoption, i.indexprs, i.indpred,
            (SELECT c.relam FROM pg_catalog.pg_class c WHERE c.oid = i.indexrelid)) AS form
    FROM pg_catalog.pg_index i WHERE i.indisvalid AND NOT EXISTS (SELECT FROM foreign_code u WHERE u.oid = i.indexrelid)
), checked_name AS MATERIALIZED (
    SELECT DISTINCT '\m' || regexp_replace(t.name, '\W', '.', 'g') || '\M' AS pattern FROM multimed.checked_type t
), code AS (
    SELECT p.oid, p.proname, p.prokind, n.nspname::text AS nspname, d.definition,
        (SELECT string_agg(CASE WHEN p.provariadic <> 0 AND a.place = p.pronargs THEN 'VARIADIC ' ELSE '' END || format_type(a.type, NULL), ', ' ORDER BY a.place)
            FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY a (type, place)) AS arguments,
        format('CREATE PROCEDURE %I.%I(%s) LANGUAGE plpgsql AS ''BEGIN END''', n.nspname, p.proname, multimed.declared_arguments(p.oid)) AS mark,
        d.definition IS NOT NULL AND NOT multimed.is_masters_function(d.definition)
            AND NOT EXISTS (SELECT FROM checked_name c WHERE d.definition ~* c.pattern)
            AND NOT EXISTS (SELECT FROM multimed.masters_operator o WHERE o.name <> '' AND strpos(d.definition, o.name) > 0) AS copied
    FROM pg_catalog.pg_proc p JOIN place n ON n.oid = p.pronamespace JOIN pg_catalog.pg_language l ON l.oid = p.prolang
        CROSS JOIN LATERAL (SELECT CASE WHEN l.lanname IN ('sql', 'plpgsql') AND p.prokind IN ('f', 'p') AND NOT p.prosecdef THEN pg_get_functiondef(p.oid) END) d (definition)
    WHERE p.oid = ANY (touched)
        AND p.prorettype NOT IN ('pg_catalog.trigger'::pg_catalog.regtype, 'pg_catalog.event_trigger'::pg_catalog.regtype)
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d -- created with an extension or a range
            WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype IN ('e', 'i'))
), key AS NOT MATERIALIZED (
    SELECT k.* FROM pg_catalog.pg_constraint k WHERE k.contype IN ('p', 'u', 'x')
)
SELECT 10, n.oid, 0, n.oid, '', n.nspname::text, '', false,
    format('CREATE SCHEMA IF NOT EXISTS %1$I; GRANT USAGE ON SCHEMA %1$I TO multimed_reader', n.nspname)
FROM place n WHERE n.oid = ANY (touched)
UNION ALL
SELECT 20, e.oid, 0, e.oid, '', e.extname::text, '', false,
    multimed.tried(format('CREATE EXTENSION IF NOT EXISTS %I SCHEMA %s', e.extname, e.extnamespace::pg_catalog.regnamespace),
        format('CREATE EXTENSION IF NOT EXISTS %I', e.extname))
FROM pg_catalog.pg_extension e WHERE e.extname <> 'plpgsql' AND e.oid = ANY (touched)
UNION ALL
SELECT 25, c.oid, 0, c.oid, n.nspname::text, c.collname::text, '', false,
    format('CREATE COLLATION IF NOT EXISTS %I.%I (provider = %s, deterministic = %s, %s%s)', n.nspname, c.collname,
        CASE c.collprovider WHEN 'i' THEN 'icu' WHEN 'b' THEN 'builtin' ELSE 'libc' END, c.collisdeterministic::text,
        CASE WHEN c.collprovider = 'c' THEN format('lc_collate = %L, lc_ctype = %L', c.collcollate, c.collctype)
            ELSE format('locale = %L', coalesce(to_jsonb(c) ->> 'colllocale', to_jsonb(c) ->> 'colliculocale', c.collcollate)) END,
        ', rules = ' || quote_literal(to_jsonb(c) ->> 'collicurules'))
FROM pg_catalog.pg_collation c JOIN place n ON n.oid = c.collnamespace WHERE c.oid = ANY (touched)
UNION ALL
SELECT 30, t.oid, 0, t.oid, t.nspname::text, t.typname::text, l.labels::text, false, format('CREATE TYPE %s AS ENUM (%s)', t.quoted, l.quoted)
FROM type t CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_agg(jsonb_build_array(e.oid::bigint, e.enumlabel) ORDER BY e.enumsortorder), '[]') AS labels,
        string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder) AS quoted
    FROM pg_catalog.pg_enum e WHERE e.enumtypid = t.oid) l WHERE t.typtype = 'e'
UNION ALL
SELECT 31, t.oid, 0, t.oid, t.nspname::text, t.typname::text, '', false, format('CREATE DOMAIN %s AS %s%s', t.quoted,
    format_type(t.typbasetype, t.typtypmod), CASE WHEN t.typcollation <> b.typcollation THEN format(' COLLATE %s', t.typcollation::pg_catalog.regcollation) ELSE '' END)
FROM type t JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype WHERE t.typtype = 'd'
UNION ALL
SELECT 32, t.oid, 0, t.oid, t.nspname::text, t.typname::text, '', false, format('CREATE TYPE %s AS ()', t.quoted)
FROM type t WHERE t.typtype = 'c'
UNION ALL
SELECT 33, t.oid, 0, t.oid, t.nspname::text, t.typname::text, '', false,
    format('CREATE TYPE %s AS RANGE (SUBTYPE = %s, SUBTYPE_OPCLASS = %I.%I, MULTIRANGE_TYPE_NAME = %s%s%s)', t.quoted, format_type(r.rngsubtype, NULL),
        o.nspname, k.opcname, format_type(r.rngmultitypid, NULL),
        CASE WHEN r.rngcollation <> 0 THEN format(', COLLATION = %s', r.rngcollation::pg_catalog.regcollation) ELSE '' END,
        CASE WHEN r.rngsubdiff <> 0 AND r.rngsubdiff::oid < 16384 THEN format(', SUBTYPE_DIFF = %s', r.rngsubdiff) ELSE '' END)
FROM type t JOIN pg_catalog.pg_range r ON r.rngtypid = t.oid JOIN pg_catalog.pg_opclass k ON k.oid = r.rngsubopc
    JOIN pg_catalog.pg_namespace o ON o.oid = k.opcnamespace WHERE t.typtype = 'r'
UNION ALL
SELECT 40, t.oid, a.part, t.oid, '', a.name, a.signature, false, a.make
FROM type t JOIN attribute a ON a.attrelid = t.typrelid WHERE t.typtype = 'c'
UNION ALL
SELECT 50, r.oid, 0, r.oid, r.nspname::text, r.relname::text, '', false, format('CREATE TABLE %s (%s)%s', r.quoted,
    (SELECT string_agg(a.make || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END, ', ' ORDER BY a.part) FROM attribute a WHERE a.attrelid = r.oid),
    CASE WHEN r.relkind = 'p' THEN ' PARTITION BY ' || pg_get_partkeydef(r.oid) ELSE '' END)
FROM relation r WHERE r.relkind IN ('r', 'p')
UNION ALL
-- A view that no reader may use, in place of each relation that satellites lack: a query does not find another relation
-- with the same name in a later schema of the search_path, and other objects may have columns of its row type.
SELECT 51, c.oid, 0, c.oid, n.nspname::text, c.relname::text, md5(a.columns), false,
    multimed.tried(format('CREATE VIEW %I.%I AS SELECT %s WHERE current_user IS NULL', n.nspname, c.relname, a.columns))
FROM pg_catalog.pg_class c JOIN place n ON n.oid = c.relnamespace
    CROSS JOIN LATERAL (SELECT coalesce(string_agg(format('CAST(NULL AS %s) AS %I', format_type(k.atttypid, k.atttypmod), k.attname), ', ' ORDER BY k.attnum), '')
        FROM pg_catalog.pg_attribute k WHERE k.attrelid = c.oid AND k.attnum > 0 AND NOT k.attisdropped) a (columns)
WHERE c.relkind IN ('m', 'f', 'v', 'p') AND c.relpersistence <> 't' AND c.oid = ANY (touched)
    AND (c.relkind <> 'v' OR current_setting('server_version_num')::int < 150000 OR multimed.is_masters(c.oid))
    AND (c.relkind <> 'p' OR EXISTS (SELECT FROM absent u WHERE u.oid = c.oid))
    AND NOT EXISTS (SELECT FROM member m WHERE m.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND m.objid = c.oid)
UNION ALL
SELECT 60, r.oid, a.part, r.oid, '', a.name, a.signature, a.inherited, a.make
FROM relation r JOIN attribute a ON a.attrelid = r.oid WHERE r.relkind IN ('r', 'p')
UNION ALL
-- Only the master has policies: a satellite grants readers no access to a table with row-level security.
SELECT 65, r.oid, 0, r.oid, '', '', '', false, format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', r.quoted)
FROM relation r JOIN pg_catalog.pg_class c ON c.oid = r.oid WHERE r.relkind IN ('r', 'p') AND c.relrowsecurity
UNION ALL
SELECT 70, r.oid, a.part, r.oid, '', '', '', a.inherited, format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', r.quoted, a.name)
FROM relation r JOIN attribute a ON a.attrelid = r.oid WHERE r.relkind IN ('r', 'p') AND a.attnotnull
UNION ALL
-- Casts by input and output functions, of users' types: they run no code of users. Satellites have the types, but not
-- all row types.
SELECT 72, k.oid, 0, k.oid, '', '', format('%s %s', k.castsource, k.casttarget), false,
    format('CREATE CAST (%s AS %s) WITH INOUT%s', format_type(k.castsource, NULL), format_type(k.casttarget, NULL),
        CASE k.castcontext WHEN 'i' THEN ' AS IMPLICIT' WHEN 'a' THEN ' AS ASSIGNMENT' ELSE '' END)
FROM pg_catalog.pg_cast k WHERE k.oid >= 16384 AND k.oid = ANY (touched) AND k.castmethod = 'i'
    AND NOT EXISTS (SELECT FROM member m WHERE m.classid = 'pg_catalog.pg_cast'::pg_catalog.regclass AND m.objid = k.oid)
    AND EXISTS (SELECT FROM pg_catalog.pg_type t JOIN place n ON n.oid = t.typnamespace
        WHERE t.oid IN (k.castsource, k.casttarget) AND t.typtype IN ('e', 'r')
        AND NOT EXISTS (SELECT FROM member m WHERE m.classid = 'pg_catalog.pg_type'::pg_catalog.regclass AND m.objid = t.oid))
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_type t WHERE t.oid IN (k.castsource, k.casttarget) AND t.oid >= 16384
        AND (t.typtype NOT IN ('b', 'e', 'd', 'r', 'm') OR t.typnamespace NOT IN (SELECT n.oid FROM place n)))
UNION ALL
-- A procedure in place of each function that satellites lack: a call of the function fails there, instead of calling
-- another function with the same name, which accepts the same arguments.
SELECT 74, c.oid, 0, c.oid, c.nspname, format('%I(%s)', c.proname, c.arguments), '', false, multimed.tried(c.mark)
FROM code c WHERE c.prokind <> 'p' AND NOT c.copied
UNION ALL
SELECT 75, c.oid, 0, c.oid, c.nspname, format('%I(%s)', c.proname, pg_get_function_identity_arguments(c.oid)),
    md5(c.definition), false, multimed.tried(c.definition, CASE WHEN c.prokind <> 'p' THEN c.mark END)
FROM code c WHERE c.copied
UNION ALL
SELECT 80, c.oid, i.inhseqno, i.inhparent, '', '', format('%s %s', i.inhparent, pg_get_expr(c.relpartbound, c.oid)), false,
    CASE WHEN c.relispartition THEN format('ALTER TABLE %s ATTACH PARTITION %s %s', i.inhparent::pg_catalog.regclass, c.oid::pg_catalog.regclass, pg_get_expr(c.relpartbound, c.oid))
        ELSE format('ALTER TABLE %s INHERIT %s', c.oid::pg_catalog.regclass, i.inhparent::pg_catalog.regclass) END
FROM relation r JOIN pg_catalog.pg_inherits i ON i.inhparent = r.oid OR i.inhrelid = r.oid
    JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid AND c.relkind IN ('r', 'p')
WHERE (r.oid = i.inhparent OR NOT EXISTS (SELECT FROM unnest(touched) o (id) WHERE o.id = i.inhparent))
    AND NOT EXISTS (SELECT FROM absent u WHERE u.oid = i.inhparent)
UNION ALL
SELECT 90, k.oid, 0, r.oid, '', k.conname::text, format('%s %s %s %s', k.contype, k.condeferrable, k.conexclop, f.form), false,
    multimed.within_limits(format('ALTER TABLE %s ADD CONSTRAINT %I %s', r.quoted, k.conname, pg_get_constraintdef(k.oid)))
FROM relation r JOIN key k ON k.conrelid = r.oid JOIN index_form f ON f.indexrelid = k.conindid
WHERE r.relkind IN ('r', 'p') AND k.conparentid = 0
UNION ALL
SELECT 95, f.indexrelid, 0, r.oid, '', x.relname::text, f.form, false,
    multimed.tried(regexp_replace(pg_get_indexdef(f.indexrelid), ' ON ONLY ', ' ON '))
FROM relation r JOIN index_form f ON f.indrelid = r.oid JOIN pg_catalog.pg_class x ON x.oid = f.indexrelid
WHERE r.relkind IN ('r', 'p') AND NOT x.relispartition AND NOT EXISTS (SELECT FROM key k WHERE k.conindid = f.indexrelid)
UNION ALL
-- security_invoker: if the satellite lacks a table of the view, the query fails, and never returns too few rows.
SELECT 100, r.oid, 0, r.oid, r.nspname::text, r.relname::text, md5(pg_get_viewdef(r.oid)), false,
    multimed.tried(
        format('CREATE OR REPLACE VIEW %1$s WITH (security_invoker = true) AS %2$s; GRANT SELECT ON %1$s TO multimed_reader', r.quoted, rtrim(pg_get_viewdef(r.oid), ';')),
        format('DROP VIEW IF EXISTS %1$s CASCADE; CREATE VIEW %1$s WITH (security_invoker = true) AS %2$s; GRANT SELECT ON %1$s TO multimed_reader',
            r.quoted, rtrim(pg_get_viewdef(r.oid), ';')))
FROM relation r WHERE r.relkind = 'v' AND current_setting('server_version_num')::int >= 150000 AND NOT multimed.is_masters(r.oid);
END $$;

-- Returns the statements that create the projection on an empty satellite, in order: those before the rows, or those
-- after them.
CREATE OR REPLACE FUNCTION multimed.schema_statements(after_rows boolean) RETURNS SETOF text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN p.rank = 40 THEN format('ALTER TYPE %s ADD ATTRIBUTE %s', format_type(p.id, NULL), p.make) ELSE p.make END
    FROM multimed.projection(NULL) p WHERE p.rank NOT IN (60, 70) AND (p.rank > 60) = after_rows ORDER BY p.rank / 10, p.id, p.part
$$;

-- Returns the given objects and all others that a change of them may have changed: tables of indexes, tables and
-- domains of constraints, row types, children, and the tables of which a partitioned table is a part.
CREATE OR REPLACE FUNCTION multimed.reach(asked oid[]) RETURNS oid[] LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
-- An empty array: the null value would stand for all objects in projection().
RETURN (WITH RECURSIVE first AS (
    SELECT unnest(asked) AS id
    UNION SELECT indrelid FROM pg_catalog.pg_index WHERE indexrelid = ANY (asked)
    UNION SELECT unnest(ARRAY[conrelid, contypid]) FROM pg_catalog.pg_constraint WHERE oid = ANY (asked)
    UNION SELECT reltype FROM pg_catalog.pg_class WHERE oid = ANY (asked)
    UNION SELECT a.whole FROM pg_catalog.pg_class c CROSS JOIN pg_catalog.pg_partition_ancestors(c.oid) a (whole)
        WHERE c.oid = ANY (asked) AND c.relkind = 'p'
    UNION SELECT id FROM multimed.told WHERE rank = 80 AND owner = ANY (asked)
), heir AS (
    SELECT id FROM first UNION SELECT i.inhrelid FROM heir h JOIN pg_catalog.pg_inherits i ON i.inhparent = h.id
)
SELECT coalesce(array_agg(id), '{}') FROM heir WHERE id <> 0);
END $$;

-- Returns the statement that drops an object on the satellites; null if the object is dropped together with another
-- one.
CREATE OR REPLACE FUNCTION multimed.gone(o multimed.told) RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    belongs boolean := o.rank IN (40, 60, 65, 70, 80, 90, 95);
    home text;
    quoted text := format('%I.%I', o.schema_name, o.name);
BEGIN
    IF belongs THEN
        SELECT format('%I.%I', n.nspname, c.relname) INTO home FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE c.oid = CASE WHEN o.rank = 40 THEN (SELECT t.typrelid FROM pg_catalog.pg_type t WHERE t.oid = o.owner) ELSE o.owner END;
        IF home IS NULL OR (o.inherited AND o.rank = 70) THEN
            RETURN NULL;
        END IF;
    END IF;
    RETURN CASE o.rank
        WHEN 10 THEN format('DROP SCHEMA IF EXISTS %I CASCADE', o.name)
        WHEN 20 THEN format('DROP EXTENSION IF EXISTS %I CASCADE', o.name)
        WHEN 25 THEN format('DROP COLLATION IF EXISTS %s CASCADE', quoted)
        WHEN 31 THEN format('DROP DOMAIN IF EXISTS %s CASCADE', quoted)
        WHEN 40 THEN format('ALTER TYPE %s DROP ATTRIBUTE IF EXISTS %I CASCADE', home, o.name)
        WHEN 50 THEN format('DROP TABLE IF EXISTS %s CASCADE; DELETE FROM multimed.relation WHERE id = %s', quoted, o.id)
        WHEN 51 THEN format('DROP VIEW IF EXISTS %s CASCADE', quoted)
        WHEN 60 THEN CASE WHEN o.inherited THEN multimed.tried(format('ALTER TABLE %s DROP COLUMN IF EXISTS %I CASCADE', home, o.name))
            ELSE format('ALTER TABLE %s DROP COLUMN IF EXISTS %I CASCADE', home, o.name) END
        WHEN 65 THEN format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', home)
        WHEN 70 THEN (SELECT format('ALTER TABLE %s ALTER COLUMN %I DROP NOT NULL', home, a.attname) FROM pg_catalog.pg_attribute a
            WHERE a.attrelid = o.owner AND a.attnum = o.part AND NOT a.attisdropped)
        WHEN 72 THEN (SELECT format('DROP CAST IF EXISTS (%s AS %s)', format_type(s.oid, NULL), format_type(t.oid, NULL))
            FROM pg_catalog.pg_type s JOIN pg_catalog.pg_type t ON t.oid = split_part(o.signature, ' ', 2)::pg_catalog.oid
            WHERE s.oid = split_part(o.signature, ' ', 1)::pg_catalog.oid) -- without its types, the cast is gone, too
        WHEN 74 THEN format('DROP ROUTINE IF EXISTS %I.%s CASCADE', o.schema_name, o.name)
        WHEN 75 THEN format('DROP ROUTINE IF EXISTS %I.%s CASCADE', o.schema_name, o.name)
        WHEN 80 THEN (SELECT multimed.tried(format('ALTER TABLE %s DETACH PARTITION %I.%I', home, n.nspname, c.relname),
                format('ALTER TABLE %I.%I NO INHERIT %s', n.nspname, c.relname, home))
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = o.id)
        WHEN 90 THEN format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I CASCADE', home, o.name)
        WHEN 95 THEN (SELECT format('DROP INDEX IF EXISTS %I.%I', n.nspname, o.name) FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = o.owner)
        WHEN 100 THEN format('DROP VIEW IF EXISTS %s CASCADE', quoted)
        ELSE format('DROP TYPE IF EXISTS %s CASCADE', quoted)
    END;
END $$;

-- Returns the statements that change the name and schema of an object.
CREATE OR REPLACE FUNCTION multimed.renamed(o multimed.told, schema_name text, name text) RETURNS SETOF text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    home text := CASE WHEN o.rank IN (60, 90, 95) THEN o.owner::pg_catalog.regclass::text
        WHEN o.rank = 40 THEN (SELECT format('%I.%I', n.nspname, t.typname) FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
            WHERE t.oid = o.owner) END;
    word text := CASE o.rank WHEN 10 THEN 'SCHEMA' WHEN 25 THEN 'COLLATION' WHEN 31 THEN 'DOMAIN' WHEN 50 THEN 'TABLE' WHEN 51 THEN 'VIEW IF EXISTS' WHEN 100 THEN 'VIEW IF EXISTS' ELSE 'TYPE' END;
BEGIN
    IF o.rank IN (74, 75) THEN -- the name includes the types of arguments; a satellite may lack the function
        IF o.schema_name <> schema_name THEN
            RETURN NEXT multimed.tried(format('ALTER ROUTINE %I.%s SET SCHEMA %I', o.schema_name, o.name, schema_name));
        END IF;
        IF o.name <> name THEN
            RETURN NEXT (SELECT multimed.tried(format('ALTER ROUTINE %I.%s RENAME TO %I', schema_name, o.name, p.proname)) FROM pg_catalog.pg_proc p WHERE p.oid = o.id);
        END IF;
        RETURN;
    END IF;
    IF o.name <> name THEN
        RETURN NEXT CASE o.rank
            WHEN 10 THEN format('ALTER SCHEMA %I RENAME TO %I', o.name, name)
            WHEN 40 THEN format('ALTER TYPE %s RENAME ATTRIBUTE %I TO %I CASCADE', home, o.name, name)
            WHEN 60 THEN format('ALTER TABLE %s RENAME COLUMN %I TO %I', home, o.name, name)
            WHEN 90 THEN multimed.tried(format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', home, o.name, name)) -- the satellite may lack the key
            WHEN 95 THEN (SELECT format('ALTER INDEX IF EXISTS %I.%I RENAME TO %I', n.nspname, o.name, name) FROM pg_catalog.pg_class c
                JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = o.owner)
            ELSE format('ALTER %s %I.%I RENAME TO %I', word, o.schema_name, o.name, name)
        END;
    END IF;
    IF o.schema_name <> schema_name THEN
        RETURN NEXT format('ALTER %s %I.%I SET SCHEMA %I', word, o.schema_name, name, schema_name);
    END IF;
END $$;

-- Returns the statements that change the labels of an enum: renamed labels keep their identifiers, and new ones follow
-- the preceding label.
CREATE OR REPLACE FUNCTION multimed.relabelled(quoted text, before jsonb, after jsonb) RETURNS SETOF text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('ALTER TYPE %s RENAME VALUE %L TO %L', quoted, b.label ->> 1, a.label ->> 1)
    FROM jsonb_array_elements(before) b (label) JOIN jsonb_array_elements(after) a (label) ON a.label -> 0 = b.label -> 0
    WHERE a.label ->> 1 <> b.label ->> 1
    UNION ALL
    SELECT * FROM (
        SELECT format('ALTER TYPE %s ADD VALUE IF NOT EXISTS %L%s', quoted, a.label ->> 1,
            CASE WHEN a.place > 1 THEN format(' AFTER %L', after -> (a.place::int - 2) ->> 1)
                WHEN jsonb_array_length(before) > 0 THEN format(' BEFORE %L', (SELECT n.label ->> 1 FROM jsonb_array_elements(after) WITH ORDINALITY n (label, place)
                    WHERE EXISTS (SELECT FROM jsonb_array_elements(before) b (label) WHERE b.label -> 0 = n.label -> 0) ORDER BY n.place LIMIT 1)) ELSE '' END)
        FROM jsonb_array_elements(after) WITH ORDINALITY a (label, place)
        WHERE NOT EXISTS (SELECT FROM jsonb_array_elements(before) b (label) WHERE b.label -> 0 = a.label -> 0) ORDER BY a.place) added
$$;

-- Returns the value, as a literal, that rows have in a column which was added after them; the master computed it once.
-- Null if there is none.
CREATE OR REPLACE FUNCTION multimed.missing_value(relation oid, part int) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO' SET intervalstyle = 'postgres' SET extra_float_digits = 1 SET timezone = 'UTC'
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
    SELECT format('%L::%s', (a.attmissingval::text::text[])[1], format_type(a.atttypid, a.atttypmod))
    FROM pg_catalog.pg_attribute a WHERE a.attrelid = relation AND a.attnum = part AND a.atthasmissing
$$;

-- Appends the statements for a column or attribute that is new or has another type. "rewritten": the rows are
-- transferred again, so that their present values need not be converted.
CREATE OR REPLACE FUNCTION multimed.tell_part(was multimed.told, rank int, id oid, part int, name text, make text, inherited boolean, rewritten boolean)
    RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    missing text := multimed.missing_value(id, part);
    type text := substr(make, length(quote_ident(name)) + 2);
BEGIN
    IF rank = 40 THEN
        PERFORM multimed.append_statement(format(CASE WHEN was IS NULL THEN 'ALTER TYPE %s ADD ATTRIBUTE %s CASCADE' ELSE 'ALTER TYPE %s ALTER ATTRIBUTE %I TYPE %s CASCADE' END,
            format_type(id, NULL), CASE WHEN was IS NULL THEN make ELSE name END, type));
    ELSIF was IS NULL AND inherited THEN
        IF missing IS NOT NULL THEN
            PERFORM multimed.append_statement(format('UPDATE ONLY %s SET %I = %s', id::pg_catalog.regclass, name, missing));
        END IF;
    ELSIF was IS NULL THEN
        PERFORM multimed.append_statement(format('ALTER TABLE %s ADD COLUMN IF NOT EXISTS %s%s', id::pg_catalog.regclass, make, ' DEFAULT ' || missing));
        PERFORM multimed.append_statement(format('ALTER TABLE %s ALTER COLUMN %I DROP DEFAULT', id::pg_catalog.regclass, name)) WHERE missing IS NOT NULL;
    ELSIF NOT inherited THEN
        PERFORM multimed.append_statement(format('ALTER TABLE %s ALTER COLUMN %I TYPE %s%s', id::pg_catalog.regclass, name, type,
            CASE WHEN rewritten THEN ' USING NULL' ELSE '' END));
    END IF;
END $$;

-- Appends all rows of a table, which replace those of the satellites.
CREATE OR REPLACE FUNCTION multimed.tell_rows(relation oid) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO' SET intervalstyle = 'postgres' SET extra_float_digits = 1 SET timezone = 'UTC'
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    stored text;
BEGIN
    -- The queries are composed as text: a plan that the session has cached cannot process rows of another table.
    FOR stored IN EXECUTE format('SELECT r FROM (SELECT pg_catalog.textin(pg_catalog.record_out("multimed row".*)) FROM ONLY %s AS "multimed row" OFFSET 0) x (r) WHERE octet_length(r) <= 4194304',
        relation::pg_catalog.regclass)
    LOOP
        PERFORM multimed.append('I' || relation || ' ' || octet_length(stored) || ' ' || stored);
    END LOOP;
    EXECUTE format('SELECT count(multimed.append_large(%s, ''I'', NULL, "multimed row".*)) FROM ONLY %s AS "multimed row" WHERE octet_length(textin(record_out("multimed row".*))) > 4194304',
        relation, relation::pg_catalog.regclass);
END $$;

-- Appends the statements that drop the objects which exist no longer.
CREATE OR REPLACE FUNCTION multimed.tell_gone(touched oid[], present multimed.projected[]) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    old multimed.told;
    statement text;
BEGIN
    FOR old IN SELECT t.* FROM multimed.told t WHERE (t.owner = ANY (touched) OR t.id = ANY (touched))
        AND (t.rank, t.id, t.part) NOT IN (SELECT p.rank, p.id, p.part FROM unnest(present) p) ORDER BY t.rank DESC, t.inherited, t.part
    LOOP
        statement := multimed.gone(old);
        -- An index that the engine has rebuilt has a new identifier; the satellites' engines rebuild it, too.
        IF statement IS NOT NULL AND (old.rank NOT IN (90, 95) OR NOT EXISTS (SELECT FROM unnest(present) p
                WHERE p.rank = old.rank AND p.owner = old.owner AND p.name = old.name AND p.signature = old.signature))
            -- A table that satellites do not have any more is dropped as a whole.
            AND NOT (old.rank IN (60, 65, 70, 90, 95) AND old.owner = ANY (touched)
                AND NOT EXISTS (SELECT FROM unnest(present) p WHERE p.rank = 50 AND p.id = old.owner)) THEN
            PERFORM multimed.append_statement(statement);
        END IF;
        DELETE FROM multimed.told t WHERE t.rank = old.rank AND t.id = old.id AND t.part = old.part;
    END LOOP;
END $$;

-- Appends the statements that create or change the objects of the ranks from "lowest" to "highest". "fresh" contains
-- the tables that are new.
CREATE OR REPLACE FUNCTION multimed.tell_present(present multimed.projected[], lowest int, highest int, rewritten boolean, fresh oid[]) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    now record;
    was multimed.told;
    statement text;
BEGIN
    FOR now IN SELECT p.* FROM unnest(present) p LEFT JOIN multimed.told t USING (rank, id, part)
        WHERE p.rank BETWEEN lowest AND highest
            AND (t.schema_name, t.name, t.signature, t.inherited) IS DISTINCT FROM (p.schema_name, p.name, p.signature, p.inherited)
        ORDER BY p.rank / 10, p.id, p.part
    LOOP
        SELECT t.* INTO was FROM multimed.told t WHERE t.rank = now.rank AND t.id = now.id AND t.part = now.part;
        IF was IS NOT NULL AND NOT (now.inherited AND now.rank = 60) THEN
            PERFORM multimed.append_statement(s) FROM multimed.renamed(was, now.schema_name, now.name) s;
        END IF;
        IF now.rank IN (40, 60) THEN
            IF was.signature IS DISTINCT FROM now.signature AND NOT (now.rank = 60 AND now.id = ANY (fresh)) THEN
                PERFORM multimed.tell_part(was, now.rank, now.id, now.part, now.name, now.make, now.inherited, rewritten);
            END IF;
        ELSIF now.rank = 30 AND was IS NOT NULL THEN
            PERFORM multimed.append_statement(s) FROM multimed.relabelled(format('%I.%I', now.schema_name, now.name), was.signature::jsonb, now.signature::jsonb) s;
        ELSIF was.signature IS DISTINCT FROM now.signature AND NOT (now.rank = 70 AND (now.inherited OR now.id = ANY (fresh))) THEN
            IF now.rank IN (51, 80, 90, 95) AND was IS NOT NULL THEN
                PERFORM multimed.append_statement(multimed.gone(was));
            ELSIF now.rank = 90 AND NOT now.owner = ANY (fresh) THEN -- a detached partition keeps its parent's key
                PERFORM multimed.append_statement(format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I', now.owner::pg_catalog.regclass, now.name));
            END IF;
            PERFORM multimed.append_statement(now.make);
        END IF;
        INSERT INTO multimed.told VALUES (now.rank, now.id, now.part, now.owner, now.schema_name, now.name, now.signature, now.inherited)
            ON CONFLICT (id, rank, part) DO UPDATE SET owner = excluded.owner, schema_name = excluded.schema_name, name = excluded.name,
                signature = excluded.signature, inherited = excluded.inherited;
        IF now.rank = 10 AND was IS NOT NULL THEN -- a renamed schema: its objects keep their place in it
            UPDATE multimed.told t SET schema_name = now.name WHERE t.schema_name = was.name;
            PERFORM multimed.append_relation(c.oid) FROM pg_catalog.pg_class c WHERE c.relnamespace = now.id;
        END IF;
    END LOOP;
END $$;

-- Appends everything that gives the satellites the present projection of the given objects, which include all objects
-- that a command reaches.
CREATE OR REPLACE FUNCTION multimed.tell_reached(touched oid[], rewritten oid[]) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    present multimed.projected[];
    fresh oid[];
    relation oid;
BEGIN
    SELECT coalesce(array_agg(ROW(p.*)::multimed.projected), '{}') INTO present FROM multimed.projection(touched) p;
    SELECT coalesce(array_agg(p.id), '{}') INTO fresh FROM unnest(present) p WHERE p.rank = 50
        AND NOT EXISTS (SELECT FROM multimed.told t WHERE t.rank = 50 AND t.id = p.id);
    SELECT coalesce(array_agg(t.id), '{}') INTO rewritten FROM multimed.told t WHERE t.rank = 50 AND t.id = ANY (rewritten);
    PERFORM multimed.append('T' || id || ' ') FROM unnest(rewritten) r (id);
    PERFORM multimed.tell_gone(touched, present);
    PERFORM multimed.tell_present(present, 0, 69, cardinality(rewritten) > 0, fresh);
    FOR relation IN SELECT p.id FROM unnest(present) p WHERE p.rank = 50 LOOP
        PERFORM multimed.append_relation(relation);
        IF relation = ANY (fresh || rewritten) AND pg_relation_size(relation) > 0 AND EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = relation AND c.relkind = 'r') THEN
            PERFORM multimed.tell_rows(relation);
        END IF;
    END LOOP;
    PERFORM multimed.tell_present(present, 70, 100, cardinality(rewritten) > 0, fresh);
    -- A table with a new parent: the readers' privileges on the parent depend on it.
    PERFORM multimed.append_relation(t.id) FROM multimed.told t WHERE t.rank = 80 AND t.id = ANY (touched);
END $$;

-- Appends all differences between the catalog and multimed.told: for commands that cannot run in a transaction, and
-- were therefore not captured (CREATE INDEX CONCURRENTLY and the like).
CREATE OR REPLACE FUNCTION multimed.tell_all() RETURNS void LANGUAGE sql AS $$
    SELECT multimed.tell_reached(multimed.reach(array_agg(DISTINCT o.id)), '{}') FROM (
        SELECT coalesce(p.id, t.id) AS id FROM multimed.told t FULL JOIN multimed.projection(NULL) p USING (rank, id, part)
        WHERE (t.schema_name, t.name, t.signature, t.inherited) IS DISTINCT FROM (p.schema_name, p.name, p.signature, p.inherited)) o
    HAVING count(*) > 0
$$;

-- Makes the event triggers of this session record nothing; multimed.tell_all() does so later. Only the middleware that
-- owns the master can call this; it ends when multimed.later is emptied.
CREATE OR REPLACE FUNCTION multimed.begin_later(epoch bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM multimed.admit(epoch);
    PERFORM set_config('multimed.later', multimed.token('later'), false);
END $$;

-- Returns the functions that users have created.
CREATE OR REPLACE FUNCTION multimed.users_functions() RETURNS oid[] LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(p.oid), '{}') FROM pg_catalog.pg_proc p
    WHERE p.oid >= 16384 AND p.pronamespace <> 'multimed'::pg_catalog.regnamespace
$$;

-- Runs at the end of each DDL command. Refuses changes of Multimed's schema and triggers (0A000), creates or corrects
-- the capture triggers of the tables concerned, and appends the difference of the projections.
CREATE OR REPLACE FUNCTION multimed.capture_ddl() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_code boolean := TG_TAG ~ '(FUNCTION|ROUTINE|AGGREGATE|OPERATOR|CAST|EXTENSION)';
    in_script boolean;
    commanded oid[];
    touched oid[];
    reached oid[];
    rewritten oid[];
    is_own boolean;
    has_trigger boolean;
    is_temporary boolean;
BEGIN
    SELECT array_agg(c.objid), array_agg(DISTINCT c.objid) FILTER (WHERE c.objid IS NOT NULL AND NOT c.in_extension AND coalesce(c.schema_name, '') <> 'pg_temp'),
            bool_or(c.schema_name = 'multimed'), bool_or(c.classid = 'pg_trigger'::regclass), bool_and(coalesce(c.schema_name, '') = 'pg_temp'), bool_and(c.in_extension)
        INTO commanded, touched, is_own, has_trigger, is_temporary, in_script FROM pg_event_trigger_ddl_commands() c;
    IF is_temporary IS NOT TRUE AND current_setting('transaction_read_only') = 'off' THEN -- a read-only transaction has DDL on temporary tables only
        INSERT INTO multimed.ddl_mark VALUES (pg_current_xact_id()) ON CONFLICT DO NOTHING;
    END IF;
    IF multimed.has_token('trusted') THEN
        RETURN;
    END IF;
    -- A change of privileges or owners changes nothing on satellites, but determines what they may return to a role: a
    -- statement without effect tells the middleware. Past the middleware, privileges may change without a WriteSet.
    IF TG_TAG ~ '^(GRANT|REVOKE|ALTER|REASSIGN|DROP OWNED)' AND is_temporary IS NOT TRUE AND current_setting('multimed.writeset', true) IS NOT NULL
            AND NOT multimed.has_token('later') THEN
        PERFORM multimed.append_statement('SELECT NULL');
    END IF;
    IF commanded IS NULL AND NOT is_code THEN -- DROP
        RETURN;
    END IF;
    IF is_own THEN
        RAISE EXCEPTION 'schema multimed belongs to Multimed: % is not allowed there', TG_TAG USING ERRCODE = '0A000', HINT = 'Use a schema of your own.';
    END IF;
    IF has_trigger AND EXISTS (SELECT FROM pg_event_trigger_ddl_commands() c JOIN pg_trigger t ON t.oid = c.objid
            WHERE c.classid = 'pg_trigger'::regclass AND (t.tgname LIKE '!multimed\_%'
                OR t.tgfoid IN (SELECT p.oid FROM pg_proc p WHERE p.pronamespace = 'multimed'::regnamespace))) THEN
        RAISE EXCEPTION 'triggers whose names begin with "!multimed" capture changes: % is not allowed on them', TG_TAG
            USING ERRCODE = '0A000', HINT = 'Give the trigger another name.';
    END IF;
    IF EXISTS (SELECT FROM pg_class x LEFT JOIN pg_index i ON i.indexrelid = x.oid
            WHERE x.relname LIKE 'multimed\_own\_%' AND (x.oid = ANY (touched) OR i.indrelid = ANY (touched))) THEN
        RAISE EXCEPTION 'indexes and constraints whose names begin with "multimed_own_" belong to satellites: % is not allowed', TG_TAG
            USING ERRCODE = '0A000', HINT = 'Use another name.';
    END IF;
    IF EXISTS (SELECT FROM pg_depend d JOIN pg_type t ON t.oid = d.refobjid JOIN pg_namespace n ON n.oid = t.typnamespace
            WHERE d.classid IN ('pg_class'::regclass, 'pg_type'::regclass) AND d.refclassid = 'pg_type'::regclass AND n.nspname LIKE 'pg\_temp\_%'
            AND d.objid = ANY (touched || ARRAY(SELECT t.typrelid FROM pg_type t WHERE t.oid = ANY (touched)))) THEN
        RAISE EXCEPTION 'a permanent object uses a temporary type, which satellites do not have: % is not allowed', TG_TAG
            USING ERRCODE = '0A000', HINT = 'Create the type in a permanent schema.';
    END IF;
    is_code := is_code AND in_script IS NOT TRUE; -- the command that runs the extension's script follows
    reached := multimed.reach(touched);
    PERFORM multimed.watch(r.id::oid) FROM multimed.relation r WHERE r.id::oid = ANY (reached);
    IF TG_TAG = 'ALTER SCHEMA' THEN -- satellites that hold tables by the names of schemas hold those of a renamed one
        PERFORM multimed.watch(c.oid) FROM pg_class c JOIN multimed.relation r ON r.id = c.oid
            JOIN pg_namespace n ON n.oid = c.relnamespace JOIN multimed.told t ON t.rank = 10 AND t.id = n.oid
            WHERE n.oid = ANY (commanded) AND t.name <> n.nspname;
    END IF;
    rewritten := multimed.take_rewritten(commanded);
    IF rewritten IS NOT NULL OR is_code THEN
        touched := touched || rewritten;
        IF is_code THEN -- functions of indexes may no longer be plain
            touched := touched || ARRAY(SELECT coalesce(i.indrelid, d.objid) FROM pg_depend d LEFT JOIN pg_index i ON i.indexrelid = d.objid
                WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_proc'::regclass AND d.refobjid >= 16384);
        END IF;
        reached := multimed.reach(touched);
    END IF;
    IF TG_TAG ~ '(OPERATOR|CAST|EXTENSION|DOMAIN)' THEN -- functions whose texts contain an operator or domain
        reached := reached || multimed.users_functions();
    END IF;
    IF touched IS NOT NULL AND NOT multimed.has_token('later') THEN
        PERFORM multimed.tell_reached(reached, coalesce(rewritten, '{}'));
        -- A function, operator or cast that satellites do not need may still change the meaning of statements, and a
        -- trigger or a deferrable constraint may leave work for the commit: a statement without effect invalidates all
        -- cached classifications.
        IF TG_TAG ~ '(FUNCTION|PROCEDURE|AGGREGATE|OPERATOR|CAST|TYPE|DOMAIN|RULE|POLICY|VIEW|EXTENSION|TRIGGER)'
                OR EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = ANY (touched) AND t.tgdeferrable) THEN
            PERFORM multimed.append_statement('SELECT');
        END IF;
    END IF;
END $$;

-- Runs after objects were dropped, which capture_ddl() does not see. Refuses to drop Multimed's objects (0A000), and
-- appends the statements that drop the objects on the satellites.
CREATE OR REPLACE FUNCTION multimed.capture_drop() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    touched oid[];
BEGIN
    IF multimed.has_token('trusted') THEN
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM pg_event_trigger_dropped_objects() WHERE original AND (schema_name = 'multimed' OR object_identity LIKE '"!multimed\_%'
            OR (object_type = 'schema' AND object_name = 'multimed'))) THEN
        RAISE EXCEPTION '% would remove the capture of changes, which would then not reach the satellites', TG_TAG USING ERRCODE = '0A000';
    END IF;
    SELECT array_agg(DISTINCT objid) INTO touched FROM pg_event_trigger_dropped_objects() WHERE NOT is_temporary;
    IF touched IS NOT NULL AND NOT multimed.has_token('later') THEN
        IF EXISTS (SELECT FROM pg_event_trigger_dropped_objects() WHERE object_type IN ('operator', 'cast', 'extension')) THEN
            touched := touched || multimed.users_functions();
            PERFORM multimed.append_statement('SELECT'); -- see capture_ddl()
        END IF;
        PERFORM multimed.tell_reached(multimed.reach(touched), '{}');
    END IF;
END $$;

-- The tables whose rows open transactions have rewritten, until these are appended. This is not a setting, because the
-- expression that computes the rows can change settings and run DDL.
CREATE UNLOGGED TABLE IF NOT EXISTS multimed.rewritten (xid xid8 NOT NULL, relation oid NOT NULL);

-- Returns the tables that a command on the given objects may have rewritten, and deletes their rows here.
CREATE OR REPLACE FUNCTION multimed.take_rewritten(commanded oid[]) RETURNS oid[] LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    mine xid8 := pg_current_xact_id_if_assigned();
    ids oid[];
    taken oid[];
BEGIN
    IF EXISTS (SELECT FROM multimed.rewritten r WHERE r.xid = mine) THEN
        ids := multimed.reach(commanded);
        WITH gone AS (
            DELETE FROM multimed.rewritten r USING pg_class c
            WHERE r.xid = mine AND c.oid = r.relation AND (c.oid = ANY (ids) OR c.reloftype = ANY (ids))
            RETURNING r.relation)
        SELECT array_agg(DISTINCT relation) INTO taken FROM gone;
    END IF;
    RETURN taken;
END $$;

-- Runs before the engine computes the rows of a table again. Records the table if a default or a USING clause computes
-- them, which may yield other values on another node.
CREATE OR REPLACE FUNCTION multimed.capture_rewrite() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pg_event_trigger_table_rewrite_reason() & 6 <> 0 THEN
        INSERT INTO multimed.rewritten VALUES (pg_catalog.pg_current_xact_id(), pg_event_trigger_table_rewrite_oid());
    END IF;
END $$;

-- Runs before CREATE INDEX. With CONCURRENTLY, a first transaction commits the index, which runs its functions from
-- then on, long before the transaction in which capture_ddl() runs.
CREATE OR REPLACE FUNCTION multimed.mark_ddl() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('transaction_read_only') = 'off' THEN
        INSERT INTO multimed.ddl_mark VALUES (pg_current_xact_id()) ON CONFLICT DO NOTHING;
    END IF;
END $$;

DROP EVENT TRIGGER IF EXISTS multimed_mark;
CREATE EVENT TRIGGER multimed_mark ON ddl_command_start WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION multimed.mark_ddl();
ALTER EVENT TRIGGER multimed_mark ENABLE ALWAYS;
DROP EVENT TRIGGER IF EXISTS multimed_ddl;
CREATE EVENT TRIGGER multimed_ddl ON ddl_command_end EXECUTE FUNCTION multimed.capture_ddl();
ALTER EVENT TRIGGER multimed_ddl ENABLE ALWAYS;
DROP EVENT TRIGGER IF EXISTS multimed_drop;
CREATE EVENT TRIGGER multimed_drop ON sql_drop EXECUTE FUNCTION multimed.capture_drop();
ALTER EVENT TRIGGER multimed_drop ENABLE ALWAYS;
DROP EVENT TRIGGER IF EXISTS multimed_rewrite;
CREATE EVENT TRIGGER multimed_rewrite ON table_rewrite EXECUTE FUNCTION multimed.capture_rewrite();
ALTER EVENT TRIGGER multimed_rewrite ENABLE ALWAYS;

INSERT INTO multimed.told
    SELECT rank, id, part, owner, schema_name, name, signature, inherited FROM multimed.projection(NULL) WHERE NOT EXISTS (SELECT FROM multimed.told);
SELECT set_config('multimed.trusted', '', true), set_config('multimed.watching', '', true);
