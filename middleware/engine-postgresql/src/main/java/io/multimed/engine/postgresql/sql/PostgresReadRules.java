// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.ReadRules;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The elements of PostgreSQL's SQL that a pure read may contain (architecture 4.1). The proof is conservative: a word
 * that is missing here sends the query to the master.
 */
class PostgresReadRules implements ReadRules {
    /** Words by which a query locks, changes or creates something, or reads a random sample. */
    private static final Set<String> IMPURE_WORDS =
            Set.of("INSERT", "UPDATE", "DELETE", "MERGE", "INTO", "SHARE", "CALL", "TRUNCATE", "TABLESAMPLE");

    /** Functions, with or without parentheses, whose result depends on the session: satellites are read as one user. */
    private static final Set<String> SESSION_WORDS = Set.of(
            "USER",
            "CURRENT_USER",
            "SESSION_USER",
            "SYSTEM_USER",
            "GETPGUSERNAME",
            "CURRENT_ROLE",
            "CURRENT_CATALOG",
            "CURRENT_DATABASE",
            "CURRENT_SCHEMA",
            "CURRENT_SCHEMAS");

    /** System columns, which describe the storage of a row and differ between engines. */
    private static final Set<String> SYSTEM_COLUMNS = Set.of("CTID", "XMIN", "XMAX", "CMIN", "CMAX", "TABLEOID");

    /** Words that may precede a parenthesis without being the name of a function. */
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

    /** Types whose values are object identifiers, or are converted to them by a cast. */
    private static final Set<String> NUMBERING_TYPES = Set.of(
            "REGCLASS",
            "REGTYPE",
            "REGPROC",
            "REGPROCEDURE",
            "REGOPER",
            "REGOPERATOR",
            "REGNAMESPACE",
            "REGROLE",
            "REGCOLLATION");

    /**
     * As the first argument of a function, these select a text search configuration, and the result contains no
     * identifier.
     */
    private static final Set<String> TEXT_SEARCH_TYPES = Set.of("REGCONFIG", "REGDICTIONARY");

    /** Begins the names of functions that can be called without parentheses, as {@code t.pg_column_size}. */
    private static final Pattern ROW_FUNCTION = Pattern.compile("PG_COLUMN|HASH_RECORD|RECORD_SEND|HASHENUM");

    /** Begins the names of all tables of the engine's catalog, and of its schema. */
    static final String OWN_PREFIX = "PG_";

    /** The schema of the engine's own functions and types, which a name may have in front. */
    private static final String OWN_SCHEMA = "PG_CATALOG";

    private static final Set<String> TIME_WORDS =
            Set.of("CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP");

    /** The function age() is missing, which with one argument depends on the current date. */
    private static final Set<String> TIME_INDEPENDENT_FUNCTIONS =
            Set.of("""
            abs array_agg array_length ascii avg bit_and bit_or bool_and bool_or btrim cardinality ceil ceiling char_length character_length chr concat
            concat_ws corr count cume_dist date_part date_trunc degrees dense_rank div every exp first_value floor initcap lag last_value lead left length ln
            log lower lpad ltrim max md5 min mod ntile nth_value octet_length percent_rank power radians rank regexp_replace repeat replace reverse right round
            row_number rpad rtrim sign split_part sqrt starts_with stddev stddev_pop stddev_samp string_agg strpos substr sum to_char to_hex translate trunc
            upper var_pop var_samp variance width_bucket
            """.trim().split("\\s+"));

    private static final Set<String> TIME_INDEPENDENT_TYPES = Set.of(
            "BIGINT",
            "BOOL",
            "BOOLEAN",
            "CHAR",
            "DECIMAL",
            "FLOAT",
            "FLOAT4",
            "FLOAT8",
            "INT",
            "INT2",
            "INT4",
            "INT8",
            "INTEGER",
            "NUMERIC",
            "REAL",
            "SMALLINT",
            "TEXT",
            "UUID",
            "VARCHAR");

    private static final Times TIMES = new Times(TIME_WORDS, TIME_INDEPENDENT_FUNCTIONS, TIME_INDEPENDENT_TYPES, true);

    private static final Words WORDS =
            new Words(IMPURE_WORDS, SESSION_WORDS, SYSTEM_COLUMNS, LANGUAGE_WORDS, PureFunctions.HARMLESS);

    /** Functions that are not pure, but are known to leave no state in the engine's session. */
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
        return LEAVE_NOTHING.contains(function) || PureFunctions.HARMLESS.contains(function);
    }

    @Override
    public Times times() {
        return TIMES;
    }

    /** Returns false: such queries are detected by words and by names of tables. */
    @Override
    public boolean asksTheEngine(String function) {
        return false;
    }

    @Override
    public boolean knowsQuotedFunctions() {
        return true;
    }

    /** Returns false: the types of the arguments determine which of the functions with a name is called. */
    @Override
    public boolean isBuiltIn(Token word, Token parenthesis) {
        return false;
    }

    @Override
    public boolean knowsQualifiedFunctions() {
        return true;
    }

    /**
     * Recognizes the information schema by its name, and the engine's catalog by the prefix that the engine reserves
     * for its own names. Functions with this prefix are judged as functions, and collations are no tables.
     */
    @Override
    public boolean namesCatalog(List<Token> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            String name = nameAt(tokens, i);
            boolean other =
                    isSign(tokens, i + 1, "(") || (i > 0 && tokens.get(i - 1).is("COLLATE"));
            if (!other && isOfMaster(name)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether only the master answers for a table of the engine's catalog.
     *
     * @param name of anything, in upper case
     */
    boolean isOfMaster(String name) {
        return name.equals("INFORMATION_SCHEMA") || (name.startsWith(OWN_PREFIX) && !name.equals(OWN_SCHEMA));
    }

    @Override
    public boolean isCatalog(String table) {
        return table.startsWith("pg_") || table.startsWith("information_schema.");
    }

    /**
     * Detects types whose values are object identifiers, and their arrays. The words OID and XID count only as types,
     * because columns may have these names; the age of an XID depends on the node. Also detects built-in functions that
     * are written as columns of a row and depend on its storage, or on identifiers of its types.
     */
    @Override
    public boolean asksForNumbers(List<Token> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            String name = nameAt(tokens, i).replaceFirst("^_", "");
            if (NUMBERING_TYPES.contains(name)
                    || (TEXT_SEARCH_TYPES.contains(name) && !isSign(tokens, i + 1, ","))
                    || (isSign(tokens, i - 1, ".") && ROW_FUNCTION.matcher(name).lookingAt())
                    || ((name.equals("OID") || name.equals("XID")) && isTypeAt(tokens, i))) {
                return true;
            }
        }
        return false;
    }

    /** Returns the name in upper case; empty if the token is not a name. */
    final String nameAt(List<Token> tokens, int i) {
        Token token = tokens.get(i);
        return switch (token.kind()) {
            case WORD -> token.text();
            case QUOTED_NAME -> unquoted(token.text()).toUpperCase(Locale.ROOT);
            case SIGN, STRING -> "";
        };
    }

    /**
     * Returns whether the name is the type of a cast ({@code ::oid}, {@code CAST(... AS oid)}), or precedes a string
     * constant ({@code oid '1'}).
     */
    static boolean isTypeAt(List<Token> tokens, int i) {
        Token next = i + 1 < tokens.size() ? tokens.get(i + 1) : null;
        int begin = i;
        while (begin > 1 && isSign(tokens, begin - 1, ".")) {
            begin -= 2;
        }
        boolean cast = begin > 0
                && (isSign(tokens, begin - 1, ":") || tokens.get(begin - 1).is("AS"));
        return cast || (next != null && next.kind() == Token.Kind.STRING);
    }

    private static boolean isSign(List<Token> tokens, int i, String sign) {
        return i >= 0 && i < tokens.size() && tokens.get(i).isSign(sign);
    }

    /** Removes the quotes of a name; doubled quotes inside of it become single. */
    @Override
    public String unquoted(String name) {
        return name.substring(1, Math.max(1, name.length() - 1)).replace("\"\"", "\"");
    }

    /** Returns the text unchanged: the parser supports PostgreSQL's syntax. */
    @Override
    public String parsable(SqlText statement) {
        return statement.text();
    }
}
