-- Rows of more than 4 MB: only the engines hold such a row completely. The bytes of its large columns are transferred
-- separately, in pieces.

-- A column with a large value in at least one version of a row.
DO $do$
BEGIN
    IF to_regtype('multimed.large_column') IS NULL THEN
        CREATE TYPE multimed.large_column AS (name text, type oid);
    END IF;
END $do$;

-- A change is: "L", relation, number of words, then each word with its length in bytes. The words are:
-- * the operation: I, U or D
-- * the row's text before and after, with NULL in place of its large columns
-- * for each large column: name, type, old value, new value
-- The old value is empty if it need not be compared, "null", or the SHA-256 of its bytes. The new value is "kept",
-- "null", or the number of its pieces, which follow the change column by column. Values that an update keeps are not
-- transferred.
-- A satellite applies the change only if it finds the row with all these properties: this detects changes that were
-- captured in another order than they were made.
CREATE OR REPLACE FUNCTION multimed.append_large(relation oid, operation text, before record, after record) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    large multimed.large_column[] := multimed.large_columns(relation, operation, before, after);
    words text[] := ARRAY[operation,
        CASE WHEN operation <> 'I' THEN multimed.row_without(relation, large, before) ELSE '' END,
        CASE WHEN operation <> 'D' THEN multimed.row_without(relation, large, after) ELSE '' END];
    one multimed.large_column;
    sent multimed.large_column[] := '{}';
    fate text[];
    content bytea;
BEGIN
    FOREACH one IN ARRAY large LOOP
        fate := multimed.fate_of(relation, operation, one, before, after);
        words := words || ARRAY[one.name, multimed.type_name(one.type)] || fate;
        sent := CASE WHEN fate[2] IN ('kept', 'null') THEN sent ELSE sent || one END;
    END LOOP;
    PERFORM multimed.append((SELECT format('L%s %s ', relation, cardinality(words)) || string_agg(octet_length(word) || ' ' || word, '' ORDER BY place)
        FROM unnest(words) WITH ORDINALITY w (word, place)));
    IF sent <> '{}' THEN
        PERFORM multimed.spill_buffer(); -- the pieces follow the change immediately
    END IF;
    FOREACH one IN ARRAY sent LOOP
        EXECUTE 'SELECT ' || multimed.bytes_of('$1', one) INTO content USING after;
        PERFORM multimed.spill_pieces(content, false);
    END LOOP;
END $$;

-- Returns the columns whose values exceed 2,000 bytes, approximately the size from which the engine stores values
-- separately. Columns of the key are never included: a satellite finds the row by them.
CREATE OR REPLACE FUNCTION multimed.large_columns(relation oid, operation text, before record, after record) RETURNS multimed.large_column[] LANGUAGE plpgsql AS $$
DECLARE
    versions text[] := CASE operation WHEN 'I' THEN '{$2}' WHEN 'D' THEN '{$1}' ELSE '{$1,$2}' END;
    candidates multimed.large_column[] := ARRAY(
        SELECT ROW(attname, multimed.base_type(atttypid))::multimed.large_column
        FROM pg_attribute a WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped AND attlen = -1
        AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = relation AND indisprimary AND a.attnum = ANY (indkey))
        ORDER BY attnum);
    sizes int[];
BEGIN
    EXECUTE (SELECT format('SELECT ARRAY[%s]', string_agg((
                SELECT format('greatest(%s)', string_agg(format('octet_length(%s)', multimed.bytes_of(version, ROW(name, type)::multimed.large_column)), ', '))
                FROM unnest(versions) version), ', ' ORDER BY place))
            FROM unnest(candidates) WITH ORDINALITY c (name, type, place))
        INTO sizes USING before, after;
    RETURN ARRAY(SELECT candidates[place] FROM unnest(sizes) WITH ORDINALITY s (size, place) WHERE size > 2000 ORDER BY place);
END $$;

-- Returns the words for the old and the new value of a large column.
CREATE OR REPLACE FUNCTION multimed.fate_of(relation oid, operation text, one multimed.large_column, before record, after record) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    is_keyed boolean := EXISTS (SELECT FROM pg_index WHERE indrelid = relation AND indisprimary);
    kept boolean := operation = 'D';
    was text := '';
    pieces text;
BEGIN
    IF operation = 'U' THEN
        EXECUTE format('SELECT %s IS NOT DISTINCT FROM %s', multimed.bytes_of('$1', one), multimed.bytes_of('$2', one)) INTO kept USING before, after;
    END IF;
    IF operation <> 'I' AND NOT (kept AND is_keyed) THEN
        EXECUTE format('SELECT coalesce(encode(sha256(%s), ''hex''), ''null'')', multimed.bytes_of('$1', one)) INTO was USING before;
    END IF;
    IF NOT kept THEN
        EXECUTE format('SELECT multimed.pieces_of(octet_length(%s))', multimed.bytes_of('$1', one)) INTO pieces USING after;
    END IF;
    RETURN ARRAY[was, CASE WHEN kept THEN 'kept' ELSE coalesce(pieces, 'null') END];
END $$;

-- Returns the expression of a column's bytes, NULL if the column is NULL; for all types except bytea, the bytes of the
-- value's text. The concatenation decompresses a value that the engine has stored compressed, so that it can be cut
-- into pieces.
CREATE OR REPLACE FUNCTION multimed.bytes_of(version text, one multimed.large_column) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN one.type = 'bytea'::regtype THEN format('((%s).%I || ''''::bytea)', version, one.name)
        ELSE format('CASE WHEN num_nulls((%1$s).%2$I) = 0 THEN convert_to(format(''%%s'', (%1$s).%2$I), ''UTF8'') END', version, one.name) END
$$;

-- Returns the qualified name of a type.
CREATE OR REPLACE FUNCTION multimed.type_name(type oid) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT format('%I.%I', nspname, typname) FROM pg_type t JOIN pg_namespace n ON n.oid = typnamespace WHERE t.oid = type
$$;

-- Returns the type on which a domain is based, or the type itself.
CREATE OR REPLACE FUNCTION multimed.base_type(type oid) RETURNS oid LANGUAGE sql STABLE AS $$
    WITH RECURSIVE domain (id, base) AS (
        SELECT oid, typbasetype FROM pg_type WHERE oid = type
        UNION ALL SELECT oid, typbasetype FROM domain JOIN pg_type ON oid = base)
    SELECT id FROM domain WHERE base = 0
$$;

-- Returns the row's text with NULL in place of some columns.
CREATE OR REPLACE FUNCTION multimed.row_without(relation oid, columns multimed.large_column[], version record) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    rest text;
BEGIN
    EXECUTE (SELECT format('SELECT ROW(%s)::text', string_agg(
                CASE WHEN attname IN (SELECT name FROM unnest(columns)) THEN 'NULL' ELSE format('($1).%I', attname) END, ', ' ORDER BY attnum))
            FROM pg_attribute WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped)
        INTO rest USING version;
    RETURN rest;
END $$;
