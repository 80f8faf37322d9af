-- Code that SQL runs without naming it, because users or extensions have added an operator, a cast, an operator class
-- or a type. "known" marks code that reads no tables and changes nothing, and that depends on nothing but its arguments
-- if it is immutable: C code of extensions of PostgreSQL's own distribution, constructors of range types, and built-in
-- functions. Built-in functions that are not immutable are not known, because a user's operator can call one that takes
-- a lock, reads a setting or runs SQL in a text. Extension isn is missing, because a session can change what its code
-- accepts. "percent" marks operators whose names contain a percent sign: some of those of pg_trgm depend on a setting.
    SELECT p.oid, p.provolatile = 'i' AS immutable, added.percent,
        CASE WHEN p.oid < 16384 THEN p.provolatile = 'i' WHEN p.prosrc ~ '^(multi)?range_constructor' THEN l.lanname = 'internal'
        ELSE l.lanname IN ('c', 'internal') AND EXISTS (
            SELECT FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
            WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
            AND e.extname IN ('btree_gin', 'btree_gist', 'citext', 'cube', 'hstore', 'intarray', 'ltree', 'pg_trgm', 'seg')) END AS known
    FROM (SELECT o.oprcode::oid, strpos(o.oprname::text, '%') > 0 FROM pg_operator o WHERE o.oid >= 16384
        UNION SELECT g.castfunc::oid, false FROM pg_cast g WHERE g.oid >= 16384
        UNION SELECT m.amproc::oid, false FROM pg_amproc m WHERE m.oid >= 16384
        UNION SELECT d.refobjid, false FROM pg_depend d JOIN pg_type t ON t.oid = d.objid AND d.refobjid IN (t.typinput, t.typoutput)
            WHERE d.classid = 'pg_type'::regclass AND d.refclassid = 'pg_proc'::regclass AND d.refobjid >= 16384 AND t.oid >= 16384
    ) added (code, percent)
    JOIN pg_proc p ON p.oid = added.code JOIN pg_language l ON l.oid = p.prolang
