// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Kind;
import io.multimed.engine.sql.Classification.Trait;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.TransactionModes;
import java.sql.Connection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Classifies statements that begin and end transactions. */
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

    /**
     * Classifies BEGIN and START TRANSACTION. A statement with another syntax runs on the master, so that the engine
     * refuses it.
     */
    static Classification begin(SqlText statement) {
        Modes modes = Modes.of(statement);
        if (modes == null) {
            return Classification.of(Kind.MASTER);
        }
        return modes.waitsForSafety()
                ? Classification.refused(
                        "SERIALIZABLE, READ ONLY, DEFERRABLE is not supported through Multimed: leave DEFERRABLE out, and run the transaction again after 40001")
                : beginWith(modes.said());
    }

    private static Classification beginWith(TransactionModes modes) {
        Classification begin = Classification.of(Kind.BEGIN)
                .with(modes)
                .outsideTransactions("there is already a transaction in progress");
        if (modes.equals(TransactionModes.NONE)) {
            return begin;
        }
        Classification setting = begin.with(Trait.PRECEDES_QUERIES); // if a transaction is open
        return Boolean.TRUE.equals(modes.readOnly()) ? setting.with(Trait.FORBIDS_CHANGES) : setting;
    }

    /** Classifies COMMIT and ROLLBACK. Prepared transactions and AND CHAIN are refused (0A000). */
    static Classification end(Kind kind, SqlText statement) {
        if (statement.isAt(1, "PREPARED")) {
            return Classification.refused("prepared transactions are not supported through Multimed");
        }
        return statement.has("CHAIN") && !statement.has("NO")
                ? Classification.refused(
                        "AND CHAIN is not supported through Multimed: end the transaction without it, then BEGIN the next one with the same options")
                : Classification.of(kind)
                        .inTransactions(Trait.WARNS_OUTSIDE_TRANSACTIONS, "there is no transaction in progress");
    }

    /** Classifies a statement that the engine refuses outside of transactions: SAVEPOINT, LOCK and others. */
    static Classification within(String name) {
        return Classification.of(Kind.MASTER)
                .inTransactions(Trait.NEEDS_TRANSACTION, name + " can only be used in transaction blocks");
    }

    /** Classifies a statement that has no effect outside of transactions: SET LOCAL and others. */
    static Classification effectiveWithin(String name) {
        return Classification.of(Kind.MASTER)
                .inTransactions(Trait.WARNS_OUTSIDE_TRANSACTIONS, name + " can only be used in transaction blocks");
    }

    /**
     * Returns the engine's name of an isolation level, a constant of java.sql.Connection.
     *
     * @throws java.util.NoSuchElementException if PostgreSQL does not have the level
     */
    public static String words(int isolation) {
        return LEVELS.entrySet().stream()
                .filter(level -> level.getValue() == isolation)
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    /**
     * Parses the transaction modes, which come in any order, with or without commas; of a repeated mode the last one
     * counts.
     */
    private static final class Modes {
        private final SqlText statement;
        /** Index of the next token. */
        private int next;

        private String isolation = "";
        private @Nullable Boolean readOnly;
        private boolean deferrable;

        private Modes(SqlText statement) {
            this.statement = statement;
        }

        /** Returns null if the text does not follow the grammar. */
        static @Nullable Modes of(SqlText statement) {
            Modes modes = new Modes(statement);
            return modes.read() ? modes : null;
        }

        /**
         * Returns whether the transaction would wait for a safe snapshot: DEFERRABLE has an effect only together with
         * SERIALIZABLE and READ ONLY.
         */
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

        /** Moves to the next token if the current one is this word. */
        private boolean take(String word) {
            boolean there = statement.word(next).equals(word);
            next += there ? 1 : 0;
            return there;
        }
    }
}
