-- The tables whose changes run only the engine's own code: no triggers, rules, policies or functions of users. Their
-- constraints are not deferrable, because one client's violation could be healed by the statement of another one.
    SELECT c.oid, n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND c.oid >= 16384 AND n.nspname <> 'multimed' AND c.relpersistence = 'p'
    AND NOT c.relrowsecurity AND NOT c.relhasrules AND NOT c.relispartition AND NOT c.relhassubclass
    AND NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid)
    AND NOT EXISTS (SELECT FROM pg_trigger t JOIN pg_proc f ON f.oid = t.tgfoid
        WHERE t.tgrelid = c.oid AND NOT t.tgisinternal AND f.pronamespace <> ${own})
    AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.condeferrable)
    AND NOT EXISTS (SELECT FROM pg_trigger t JOIN pg_constraint k ON k.oid = t.tgconstraint -- foreign keys that refer to it
        WHERE t.tgrelid = c.oid AND k.confrelid = c.oid AND (k.condeferrable OR k.confupdtype NOT IN ('a', 'r') OR k.confdeltype NOT IN ('a', 'r')))
    AND NOT EXISTS (SELECT FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND y.oid >= 16384 AND y.typtype <> 'e')
    -- Defaults, generated columns, constraints, indexes and statistics use no functions and no types of users, except
    -- for enums.
    AND NOT EXISTS (SELECT FROM (
            SELECT 'pg_attrdef'::regclass, e.oid FROM pg_attrdef e WHERE e.adrelid = c.oid
            UNION ALL SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint k WHERE k.conrelid = c.oid
            UNION ALL SELECT 'pg_class'::regclass, x.indexrelid FROM pg_index x WHERE x.indrelid = c.oid
            UNION ALL SELECT 'pg_statistic_ext'::regclass, t.oid FROM pg_statistic_ext t WHERE t.stxrelid = c.oid
        ) part (class, id)
        JOIN pg_depend d ON d.classid = part.class AND d.objid = part.id LEFT JOIN pg_type y ON y.oid = d.refobjid
        WHERE d.refobjid >= 16384 AND (d.refclassid = 'pg_proc'::regclass
            OR (d.refclassid = 'pg_type'::regclass AND y.typtype <> 'e')))
    -- Defaults and checks call no built-in function that changes a setting, takes a lock or runs SQL: only immutable
    -- functions, and these.
    AND NOT EXISTS (SELECT FROM (
            SELECT e.adbin FROM pg_attrdef e WHERE e.adrelid = c.oid
            UNION ALL SELECT k.conbin FROM pg_constraint k WHERE k.conrelid = c.oid) part (expression)
        CROSS JOIN regexp_matches(part.expression::text, ':funcid (\d+)', 'g') called
        JOIN pg_proc f ON f.oid = called[1]::oid
        WHERE f.provolatile <> 'i' AND f.proname NOT IN (
            'nextval', 'now', 'transaction_timestamp', 'statement_timestamp', 'clock_timestamp', 'timeofday', 'random',
            'gen_random_uuid', 'uuidv4', 'uuidv7', 'timezone', 'date', 'time', 'timetz', 'timestamp', 'timestamptz',
            'to_char', 'to_date', 'to_timestamp', 'date_part', 'date_trunc', 'extract', 'age', 'concat', 'concat_ws',
            'format'))
    -- Statements run such code by operators and casts, and indexes run it, which foreign keys search, too.
    AND NOT EXISTS (SELECT FROM ${unnamed_code} u WHERE NOT u.known)
    -- In place of a table, for statements that call functions: users have created none that could be called instead.
    UNION ALL SELECT c.oid, n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = 'pg_proc'::regclass AND NOT EXISTS (SELECT FROM pg_proc p WHERE p.oid >= 16384 AND p.pronamespace <> ${own}
        AND NOT EXISTS (SELECT FROM pg_depend d JOIN pg_roles r ON r.oid = p.proowner AND r.rolsuper
            WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e')
        AND NOT (p.prosrc ~ '^(multi)?range_constructor' AND p.prolang = (SELECT l.oid FROM pg_language l WHERE l.lanname = 'internal')))
