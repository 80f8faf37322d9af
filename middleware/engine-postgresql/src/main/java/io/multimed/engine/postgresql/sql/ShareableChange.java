// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.List;
import java.util.Set;

/**
 * Recognizes changes of rows that may share a transaction with changes of other clients: prepared INSERT, UPDATE and
 * DELETE statements of one table, without subqueries, and without any code of users.
 */
final class ShareableChange {
    /** A statement with one of these words reads other tables, returns rows, or depends on the session. */
    private static final Set<String> EXCLUDED = Set.of(
            "SELECT", "WITH", "TABLE", "USING", "RETURNING", "CURRENT", "OPERATOR", "ONLY", "OVERRIDING", "CONFLICT");

    /** Words that may follow the table's name; another token would continue the name. */
    private static final Set<String> AFTER_TABLE = Set.of("SET", "VALUES", "WHERE", "AS");

    /**
     * Words that may precede a string, because no type can have their names unless a dot or a quote shows it. Before
     * any other word, a string may be a constant of a user's domain, which checks the value, or end a quoted name with
     * another escape character (UESCAPE).
     */
    private static final Set<String> BEFORE_STRING =
            Set.of("AND", "OR", "NOT", "WHERE", "CASE", "WHEN", "THEN", "ELSE", "BETWEEN", "SYMMETRIC");

    /** Words of the language that can be the names of functions: before a parenthesis, they may call a user's one. */
    private static final Set<String> CALLABLE = Set.of(
            "BY",
            "CUBE",
            "FILTER",
            "FIRST",
            "ILIKE",
            "IS",
            "JOIN",
            "LIKE",
            "MATERIALIZED",
            "NEXT",
            "OVER",
            "OVERLAY",
            "ROLLUP",
            "SETS",
            "SIMILAR",
            "SUBSTRING",
            "VARYING",
            "WITHIN");

    /**
     * Types to which a statement may cast. A cast to a domain, or to a row with a domain, checks the value. The engine
     * finds these types before any others, unless search_path names pg_catalog behind another schema.
     */
    private static final Set<String> TYPES = Set.of(
            "BIGINT",
            "BIT",
            "BOOL",
            "BOOLEAN",
            "BYTEA",
            "CHAR",
            "CHARACTER",
            "DATE",
            "DECIMAL",
            "DOUBLE",
            "FLOAT",
            "FLOAT4",
            "FLOAT8",
            "INET",
            "INT",
            "INT2",
            "INT4",
            "INT8",
            "INTEGER",
            "INTERVAL",
            "JSON",
            "JSONB",
            "NUMERIC",
            "REAL",
            "SMALLINT",
            "TEXT",
            "TIME",
            "TIMESTAMP",
            "TIMESTAMPTZ",
            "TIMETZ",
            "UUID",
            "VARCHAR",
            "XML");

    /**
     * Stands for the functions of users among the names of tables: in the definition of shareable tables, this one is
     * shareable if users have created no functions.
     */
    private static final String FUNCTIONS = "pg_catalog.pg_proc";

    private ShareableChange() {}

    /** Returns whether the form of the statement permits it; costs no knowledge of the schema. */
    static boolean isCandidate(SqlText statement) {
        return statement.placeholders() > 0
                && !statement.hasAny(EXCLUDED)
                && nameAt(statement) > 0
                && !TimeConstants.mayBeIn(statement.text());
    }

    /** Returns whether the table, the functions and the types of a candidate permit it. */
    static boolean isShareable(SqlText statement, ReadProof proof) {
        List<Token> behind = behind(statement);
        return endsName(behind)
                && behind.stream().noneMatch(token -> token.is("FROM") || token.isSign("*"))
                && isOfTheLanguage(behind)
                && proof.isShareable(table(statement), behind);
    }

    /** Returns whether a candidate may evaluate the defaults of columns, which can be values of sequences. */
    static boolean mayTakeDefaults(SqlText statement) {
        return statement.isAt(0, "INSERT") || statement.has("DEFAULT");
    }

    private static List<Token> behind(SqlText statement) {
        List<Token> tokens = statement.tokens();
        return tokens.subList(nameAt(statement) + (isQualified(statement) ? 3 : 1), tokens.size());
    }

    /** Returns the names by which the engine checks a shareable change again: see {@link #FUNCTIONS}. */
    static Set<String> tables(SqlText statement, ReadProof proof) {
        return proof.mayCallFunctions(behind(statement))
                ? Set.of(table(statement), FUNCTIONS)
                : Set.of(table(statement));
    }

    /** Returns whether these tokens follow a complete name: its next part could be quoted, or written as U&"name". */
    private static boolean endsName(List<Token> behind) {
        if (behind.isEmpty()) {
            return false;
        }
        Token first = behind.get(0);
        boolean alias = first.kind() == Token.Kind.WORD && behind.size() > 1 && isAfterAlias(behind.get(1));
        return first.isSign("(") || AFTER_TABLE.contains(first.text()) || alias;
    }

    private static boolean isAfterAlias(Token token) {
        return token.is("SET") || token.is("WHERE");
    }

    /** Returns whether each type of a cast or constant is one of the engine's own, and no word could be a function. */
    private static boolean isOfTheLanguage(List<Token> tokens) {
        boolean casts = tokens.stream().anyMatch(token -> token.is("CAST"));
        for (int i = 1; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            boolean precedesType = (token.isSign(":") && tokens.get(i - 1).isSign(":")) || (casts && token.is("AS"));
            if ((precedesType && !isKnownType(tokens, i + 1))
                    || (token.isSign("(") && CALLABLE.contains(tokens.get(i - 1).text()))
                    || (token.kind() == Token.Kind.STRING && !mayPrecedeString(tokens, i - 1))) {
                return false;
            }
        }
        return true;
    }

    private static boolean mayPrecedeString(List<Token> tokens, int i) {
        Token token = tokens.get(i);
        return switch (token.kind()) {
            case SIGN -> !token.isSign(")"); // of a type's length
            case WORD -> !isDot(tokens, i - 1) && (BEFORE_STRING.contains(token.text()) || isKnownType(tokens, i));
            case STRING, QUOTED_NAME -> false;
        };
    }

    /** Returns whether the word is a type without a schema. */
    private static boolean isKnownType(List<Token> tokens, int i) {
        return i < tokens.size()
                && tokens.get(i).kind() == Token.Kind.WORD
                && TYPES.contains(tokens.get(i).text())
                && !isDot(tokens, i + 1);
    }

    private static boolean isDot(List<Token> tokens, int i) {
        return i >= 0 && i < tokens.size() && tokens.get(i).isSign(".");
    }

    /** Returns the table of a candidate, as {@code table} or {@code schema.table} in lower case. */
    static String table(SqlText statement) {
        int name = nameAt(statement);
        String first = Token.lowerCase(statement.tokens().get(name).text());
        return isQualified(statement)
                ? first + '.' + Token.lowerCase(statement.tokens().get(name + 2).text())
                : first;
    }

    private static boolean isQualified(SqlText statement) {
        int name = nameAt(statement);
        return statement.isSignAt(name + 1, ".")
                && name + 2 < statement.tokens().size()
                && statement.tokens().get(name + 2).kind() == Token.Kind.WORD;
    }

    /** Returns the position of the table's first word; 0 if the statement has another form. */
    private static int nameAt(SqlText statement) {
        int name = statement.isAt(0, "UPDATE")
                ? 1
                : statement.begins("INSERT", "INTO") || statement.begins("DELETE", "FROM") ? 2 : 0;
        return name > 0
                        && name < statement.tokens().size()
                        && statement.tokens().get(name).kind() == Token.Kind.WORD
                ? name
                : 0;
    }
}
