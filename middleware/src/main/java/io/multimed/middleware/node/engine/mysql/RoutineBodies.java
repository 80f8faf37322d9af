package io.multimed.middleware.node.engine.mysql;

import io.multimed.middleware.node.engine.sql.SqlText;
import io.multimed.middleware.node.engine.sql.Token;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/**
 * What procedures must not do: end the transaction in which they are called. What they had changed would be committed without a place in the order.
 */
final class RoutineBodies {
    private static final Set<String> DEFINES = Set.of("CREATE", "ALTER", "DROP", "RENAME");

    private static final Set<String> OBJECTS = Set.of(
            "TABLE",
            "TABLES",
            "INDEX",
            "UNIQUE",
            "VIEW",
            "DATABASE",
            "SCHEMA",
            "TRIGGER",
            "PROCEDURE",
            "FUNCTION",
            "USER",
            "EVENT",
            "SEQUENCE",
            "OR");

    private static final String BODIES = """
            SELECT ROUTINE_NAME, ROUTINE_DEFINITION FROM information_schema.ROUTINES
            WHERE ROUTINE_SCHEMA = ? AND ROUTINE_TYPE = 'PROCEDURE'""";

    private RoutineBodies() {}

    /** Whether a procedure's text has a statement that commits, or one that could be anything. */
    static boolean endsTransactions(SqlText text) {
        List<Token> tokens = text.tokens();
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).kind() == Token.Kind.WORD && commits(text, i)) {
                return true;
            }
        }
        return false;
    }

    private static boolean commits(SqlText text, int at) {
        String next = text.word(at + 1);
        return switch (text.word(at)) {
            case "COMMIT", "PREPARE", "AUTOCOMMIT" -> true;
            case "START" -> next.equals("TRANSACTION");
            case "BEGIN" -> next.equals("WORK");
            case "LOCK" -> next.equals("TABLES") || next.equals("TABLE");
            case "TRUNCATE" -> !next.equals("(");
            default -> DEFINES.contains(text.word(at)) && OBJECTS.contains(next);
        };
    }

    /** The procedures of the database in use that end transactions. */
    static List<String> endingTransactions(Connection master) throws SQLException {
        return Queries.list(
                        master,
                        BODIES,
                        row -> endsTransactions(new MySqlReader().read(String.valueOf(row.getString(2))))
                                ? row.getString(1)
                                : "",
                        master.getCatalog())
                .stream()
                .filter(name -> !name.isEmpty())
                .toList();
    }
}
