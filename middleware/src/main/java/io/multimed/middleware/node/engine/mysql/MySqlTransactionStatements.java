package io.multimed.middleware.node.engine.mysql;

import io.multimed.middleware.node.engine.sql.SqlText;
import io.multimed.middleware.node.engine.sql.Token;
import io.multimed.middleware.node.engine.sql.Verdict;
import io.multimed.middleware.node.engine.sql.Verdict.Kind;
import io.multimed.middleware.node.engine.sql.Verdict.Trait;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Statements that begin and end transactions. */
final class MySqlTransactionStatements {
    private static final Set<String> ON = Set.of("1", "ON", "TRUE", "DEFAULT");

    private MySqlTransactionStatements() {}

    /** Null if it is none of these. */
    static @Nullable Verdict of(SqlText statement) {
        return switch (statement.word(0)) {
            case "BEGIN" ->
                statement.isAt(1, "NOT")
                        ? Verdict.refused("BEGIN NOT ATOMIC is not supported through Multimed: use a stored procedure")
                        : begin();
            case "START" -> start(statement);
            case "COMMIT", "ROLLBACK" -> end(statement);
            case "SET" -> set(statement);
            default -> null;
        };
    }

    private static Verdict begin() {
        return Verdict.of(Kind.BEGIN).with(Trait.COMMITS_BEFORE);
    }

    private static Verdict start(SqlText statement) {
        if (!statement.isAt(1, "TRANSACTION")) {
            return MySqlReader.committing(); // replication
        }
        if (statement.has("ONLY")) {
            return Verdict.refused(
                    "START TRANSACTION READ ONLY is not supported through Multimed: use Connection.setReadOnly(true), which reads on satellites");
        }
        return statement.has("SNAPSHOT")
                ? Verdict.refused(
                        "WITH CONSISTENT SNAPSHOT is not supported through Multimed: a transaction's snapshot is that of its first statement")
                : begin();
    }

    private static Verdict end(SqlText statement) {
        if (statement.has("TO")) {
            return Verdict.of(Kind.MASTER);
        }
        boolean chained = statement.has("CHAIN") || statement.has("RELEASE");
        if (chained && !statement.has("NO")) {
            return Verdict.refused("AND CHAIN and RELEASE are not supported through Multimed");
        }
        return Verdict.of(statement.isAt(0, "COMMIT") ? Kind.COMMIT : Kind.ROLLBACK);
    }

    private static @Nullable Verdict set(SqlText statement) {
        if (statement.isAt(1, "TRANSACTION")) {
            return Verdict.refused(
                    "SET TRANSACTION for the next transaction alone is not supported through Multimed: use Connection.setTransactionIsolation or setReadOnly, or SET SESSION TRANSACTION");
        }
        return statement.has("AUTOCOMMIT") ? autocommit(statement) : null;
    }

    private static Verdict autocommit(SqlText statement) {
        String words = statement.tokens().stream()
                .map(Token::text)
                .filter(word -> !word.equals(";"))
                .collect(Collectors.joining(" "));
        for (String form : List.of(
                "SET AUTOCOMMIT = ",
                "SET SESSION AUTOCOMMIT = ",
                "SET @ @ AUTOCOMMIT = ",
                "SET @ @ SESSION . AUTOCOMMIT = ")) {
            if (words.startsWith(form) && ON.contains(words.substring(form.length()))) {
                return Verdict.of(Kind.COMMIT);
            }
        }
        return Verdict.refused("autocommit cannot be set by SQL through Multimed: use Connection.setAutoCommit");
    }
}
