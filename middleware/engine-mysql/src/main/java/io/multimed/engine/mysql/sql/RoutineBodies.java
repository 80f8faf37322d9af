// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.sql.SqlReader;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Detects procedures that end the transaction in which they are called: their changes would be committed without a
 * place in the commit order. The check compares words; in doubt the procedure counts as one that commits.
 */
public final class RoutineBodies {
    /** First words of statements that change the schema, and thus commit. */
    private static final Set<String> DEFINES = Set.of("CREATE", "ALTER", "DROP", "RENAME");

    /** Words that follow one of {@link #DEFINES} in such a statement. Elsewhere the first words may be names. */
    private static final Set<String> OBJECTS = Set.of(
            "TABLE",
            "TABLES",
            "INDEX",
            "UNIQUE",
            "FULLTEXT",
            "SPATIAL",
            "VIEW",
            "ALGORITHM",
            "DEFINER",
            "SQL",
            "DATABASE",
            "SCHEMA",
            "TRIGGER",
            "PROCEDURE",
            "FUNCTION",
            "AGGREGATE",
            "PACKAGE",
            "USER",
            "ROLE",
            "EVENT",
            "SEQUENCE",
            "SERVER",
            "TABLESPACE",
            "LOGFILE",
            "INSTANCE",
            "RESOURCE",
            "OR");

    private static final Set<String> TABLES = Set.of("TABLE", "TABLES", "LOCAL", "NO_WRITE_TO_BINLOG");

    /**
     * First words of statements that commit or must not run through Multimed, each with the words that may follow it.
     */
    private static final Map<String, Set<String>> STATEMENTS = Map.ofEntries(
            Map.entry("START", Set.of("TRANSACTION", "SLAVE", "REPLICA", "ALL", "GROUP_REPLICATION")),
            Map.entry("BEGIN", Set.of("WORK")),
            Map.entry("LOCK", TABLES),
            Map.entry("EXECUTE", Set.of("IMMEDIATE")),
            Map.entry("ANALYZE", TABLES),
            Map.entry("OPTIMIZE", TABLES),
            Map.entry("REPAIR", TABLES),
            Map.entry("CACHE", Set.of("INDEX")),
            Map.entry("INSTALL", Set.of("SONAME", "PLUGIN", "COMPONENT")),
            Map.entry("UNINSTALL", Set.of("SONAME", "PLUGIN", "COMPONENT")),
            Map.entry("RESET", Set.of("MASTER", "SLAVE", "REPLICA", "QUERY", "BINARY", "PERSIST")),
            Map.entry("CHANGE", Set.of("MASTER", "REPLICATION")),
            Map.entry("BACKUP", Set.of("STAGE", "LOCK", "UNLOCK")),
            Map.entry("XA", Set.of("START", "BEGIN", "END")));

    /** Words and signs after which a statement begins, except for handlers. */
    private static final Set<String> BEFORE_STATEMENT = Set.of(
            ";", ")", "BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT", "DATA", "SQL", "DETERMINISTIC", "IS", "AS");

    /** Words that follow FLUSH in a statement. */
    private static final Set<String> FLUSHED = Set.of(
            "PRIVILEGES",
            "TABLE",
            "TABLES",
            "LOGS",
            "BINARY",
            "ENGINE",
            "ERROR",
            "GENERAL",
            "SLOW",
            "RELAY",
            "STATUS",
            "HOSTS",
            "QUERY",
            "USER_RESOURCES",
            "USER_STATISTICS",
            "LOCAL",
            "NO_WRITE_TO_BINLOG",
            "SSL");

    /** Functions are omitted: the engines do not let them commit. */
    private static final String BODIES = """
            SELECT ROUTINE_NAME, ROUTINE_DEFINITION FROM information_schema.ROUTINES
            WHERE ROUTINE_SCHEMA = ? AND ROUTINE_TYPE <> 'FUNCTION'""";

    private RoutineBodies() {}

    /**
     * Returns whether a procedure's text contains a statement that commits, or a statement that is only known when it
     * runs.
     */
    static boolean endsTransactions(SqlText text) {
        List<Token> tokens = text.tokens();
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).kind() == Token.Kind.WORD && commits(text, i)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a statement begins at this token that commits, or that must not run through Multimed. */
    private static boolean commits(SqlText text, int at) {
        String next = text.word(at + 1);
        return switch (text.word(at)) {
            case "COMMIT", "PREPARE", "AUTOCOMMIT", "GRANT", "REVOKE", "KILL" -> true;
            case "TRUNCATE" -> !next.equals("(");
            case "FLUSH" -> FLUSHED.contains(next);
            case "SHUTDOWN", "RESTART" -> beginsStatement(text, at);
            case "SET" -> next.equals("PASSWORD") && (text.isAt(at + 2, "FOR") || beginsStatement(text, at));
            default ->
                DEFINES.contains(text.word(at))
                        ? OBJECTS.contains(next)
                        : STATEMENTS.getOrDefault(text.word(at), Set.of()).contains(next);
        };
    }

    private static boolean beginsStatement(SqlText text, int at) {
        return at > 0 && BEFORE_STATEMENT.contains(text.word(at - 1));
    }

    /**
     * Returns the names of the procedures in the connection's database that end transactions.
     *
     * @param reader reads the procedures' texts
     */
    public static List<String> endingTransactions(SqlReader reader, Connection master) throws SQLException {
        return Queries.list(
                        master,
                        BODIES,
                        row -> endsTransactions(reader.read(String.valueOf(row.getString(2)))) ? row.getString(1) : "",
                        master.getCatalog())
                .stream()
                .filter(name -> !name.isEmpty())
                .toList();
    }
}
