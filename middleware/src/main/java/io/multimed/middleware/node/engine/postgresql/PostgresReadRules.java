package io.multimed.middleware.node.engine.postgresql;

import io.multimed.middleware.node.engine.sql.ReadRules;
import io.multimed.middleware.node.engine.sql.SqlText;
import java.util.Set;

/** What a pure read may hold in PostgreSQL's language. */
final class PostgresReadRules implements ReadRules {
    private static final Set<String> IMPURE_WORDS =
            Set.of("INSERT", "UPDATE", "DELETE", "MERGE", "INTO", "SHARE", "CALL", "TRUNCATE", "TABLESAMPLE");

    private static final Set<String> SESSION_WORDS = Set.of(
            "USER",
            "CURRENT_USER",
            "SESSION_USER",
            "SYSTEM_USER",
            "CURRENT_ROLE",
            "CURRENT_CATALOG",
            "CURRENT_DATABASE",
            "CURRENT_SCHEMA",
            "CURRENT_SCHEMAS");

    /** Columns that tell where and when this engine wrote a row: each engine has its own. */
    private static final Set<String> SYSTEM_COLUMNS = Set.of("CTID", "XMIN", "XMAX", "CMIN", "CMAX", "TABLEOID");

    private static final Set<String> LANGUAGE_WORDS = Set.of(
            "SELECT",
            "DISTINCT",
            "ON",
            "FROM",
            "JOIN",
            "WHERE",
            "AND",
            "OR",
            "NOT",
            "IN",
            "EXISTS",
            "ANY",
            "ALL",
            "SOME",
            "AS",
            "OVER",
            "FILTER",
            "BY",
            "WHEN",
            "THEN",
            "ELSE",
            "CASE",
            "USING",
            "UNION",
            "INTERSECT",
            "EXCEPT",
            "LIMIT",
            "OFFSET",
            "HAVING",
            "BETWEEN",
            "LIKE",
            "ILIKE",
            "IS",
            "ROW",
            "VALUES",
            "LATERAL",
            "WITHIN",
            "GROUP",
            "SETS",
            "CUBE",
            "ROLLUP",
            "GROUPING",
            "MATERIALIZED",
            "WITH",
            "CAST",
            "EXTRACT",
            "SUBSTRING",
            "POSITION",
            "OVERLAY",
            "TRIM",
            "COALESCE",
            "NULLIF",
            "GREATEST",
            "LEAST",
            "ARRAY",
            "INTERVAL",
            "VARCHAR",
            "CHAR",
            "CHARACTER",
            "VARYING",
            "NUMERIC",
            "DECIMAL",
            "TIMESTAMP",
            "TIME",
            "BIT",
            "FLOAT",
            "WINDOW",
            "TABLE",
            "FETCH",
            "FIRST",
            "NEXT",
            "COLLATE",
            "SIMILAR",
            "TO");

    private static final Set<String> HARMLESS = Set.of(
            "random",
            "random_normal",
            "clock_timestamp",
            "timeofday",
            "gen_random_uuid",
            "uuidv4",
            "uuidv7",
            "pg_sleep",
            "pg_sleep_for");

    private static final Words WORDS = new Words(IMPURE_WORDS, SESSION_WORDS, SYSTEM_COLUMNS, LANGUAGE_WORDS, HARMLESS);

    private static final Set<String> LEAVE_NOTHING = Set.of(
            "nextval",
            "setval",
            "pg_notify",
            "pg_advisory_xact_lock",
            "pg_advisory_xact_lock_shared",
            "pg_try_advisory_xact_lock",
            "pg_try_advisory_xact_lock_shared",
            "txid_current",
            "pg_current_xact_id",
            "pg_backend_pid",
            "current_setting",
            "version");

    @Override
    public Words words() {
        return WORDS;
    }

    @Override
    public boolean leavesNothing(String function) {
        return LEAVE_NOTHING.contains(function) || HARMLESS.contains(function);
    }

    /** They are found by words and by the names of tables. */
    @Override
    public boolean asksTheEngine(String function) {
        return false;
    }

    @Override
    public boolean knowsQualifiedFunctions() {
        return true;
    }

    @Override
    public boolean isCatalogue(String table) {
        return table.startsWith("pg_")
                || table.contains("pg_catalog.")
                || table.contains("information_schema.")
                || table.startsWith("multimed.");
    }

    @Override
    public String unquoted(String name) {
        return name.substring(1, Math.max(1, name.length() - 1));
    }

    @Override
    public String parsable(SqlText statement) {
        return statement.text();
    }
}
