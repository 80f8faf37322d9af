package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Kind;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.TransactionModes;
import java.sql.Connection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Statements that begin and end transactions. */
public final class PostgresTransactionStatements {
    private static final Map<String, Integer> LEVELS = Map.of(
            "SERIALIZABLE",
            Connection.TRANSACTION_SERIALIZABLE,
            "REPEATABLE READ",
            Connection.TRANSACTION_REPEATABLE_READ,
            "READ COMMITTED",
            Connection.TRANSACTION_READ_COMMITTED,
            "READ UNCOMMITTED",
            Connection.TRANSACTION_READ_UNCOMMITTED);

    private PostgresTransactionStatements() {}

    /** BEGIN or START TRANSACTION; what the engine would not take, it is asked to refuse itself. */
    static Classification begin(SqlText statement) {
        Modes modes = Modes.of(statement);
        if (modes == null) {
            return Classification.of(Kind.MASTER);
        }
        return modes.waitsForSafety()
                ? Classification.refused(
                        "SERIALIZABLE, READ ONLY, DEFERRABLE is not supported through Multimed: leave DEFERRABLE out, and run the transaction again after 40001")
                : Classification.of(Kind.BEGIN).with(modes.said());
    }

    static Classification end(Kind kind, SqlText statement) {
        if (statement.isAt(1, "PREPARED")) {
            return Classification.refused("prepared transactions are not supported through Multimed");
        }
        return statement.has("CHAIN") && !statement.has("NO")
                ? Classification.refused(
                        "AND CHAIN is not supported through Multimed: end the transaction without it, then BEGIN the next one with the same options")
                : Classification.of(kind);
    }

    /** As the engine calls a level of java.sql.Connection. */
    public static String words(int isolation) {
        return LEVELS.entrySet().stream()
                .filter(level -> level.getValue() == isolation)
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    /** The transaction modes, in any order, with commas or without; of one that is said twice the last counts. */
    private static final class Modes {
        private final SqlText statement;
        private int next;
        private String isolation = "";
        private @Nullable Boolean readOnly;
        private boolean deferrable;

        private Modes(SqlText statement) {
            this.statement = statement;
        }

        /** Null if the text is not what the grammar says. */
        static @Nullable Modes of(SqlText statement) {
            Modes modes = new Modes(statement);
            return modes.read() ? modes : null;
        }

        /** Only of these three together DEFERRABLE means anything. */
        boolean waitsForSafety() {
            return deferrable && isolation.equals("SERIALIZABLE") && Boolean.TRUE.equals(readOnly);
        }

        TransactionModes said() {
            return new TransactionModes(readOnly, LEVELS.getOrDefault(isolation, 0), false);
        }

        private boolean read() {
            boolean started = take("START") ? take("TRANSACTION") : take("BEGIN");
            if (!started) {
                return false;
            }
            boolean noise = !statement.isAt(0, "START") && (take("WORK") || take("TRANSACTION"));
            int first = noise || statement.isAt(0, "START") ? 2 : 1;
            while (!isAtEnd()) {
                boolean separated = next == first || !take(",") || !isAtEnd();
                if (!separated || !mode()) {
                    return false;
                }
            }
            return true;
        }

        private boolean isAtEnd() {
            return statement.word(next).isEmpty() || statement.word(next).equals(";");
        }

        private boolean mode() {
            if (take("ISOLATION")) {
                return take("LEVEL") && level();
            }
            if (take("READ")) {
                readOnly = statement.isAt(next, "ONLY");
                return take("ONLY") || take("WRITE");
            }
            deferrable = !take("NOT");
            return take("DEFERRABLE");
        }

        private boolean level() {
            String one = statement.word(next);
            String two = one + ' ' + statement.word(next + 1);
            isolation = LEVELS.containsKey(one) ? one : two;
            next += isolation.equals(one) ? 1 : 2;
            return LEVELS.containsKey(isolation);
        }

        private boolean take(String word) {
            boolean there = statement.word(next).equals(word);
            next += there ? 1 : 0;
            return there;
        }
    }
}
