// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The transaction modes that a statement contains, for the transaction that it begins, for the next one, or for all
 * following ones.
 *
 * @param readOnly null if the statement does not determine it
 * @param isolation a constant of java.sql.Connection; 0 if the statement does not determine it
 * @param snapshot whether the snapshot is taken immediately, not with the first statement
 */
public record TransactionModes(@Nullable Boolean readOnly, int isolation, boolean snapshot) {
    /** Determines no mode. */
    public static final TransactionModes NONE = new TransactionModes(null, 0, false);

    /** Returns the modes that the words of a statement determine, wherever they occur in it. */
    public static TransactionModes of(SqlText statement) {
        Boolean readOnly = null;
        int isolation = 0;
        for (int i = 0; i < statement.tokens().size(); i++) {
            if (statement.isAt(i, "READ") && (statement.isAt(i + 1, "ONLY") || statement.isAt(i + 1, "WRITE"))) {
                readOnly = statement.isAt(i + 1, "ONLY");
            } else if (statement.isAt(i, "LEVEL")) {
                isolation = level(statement.word(i + 1), statement.word(i + 2));
            }
        }
        return new TransactionModes(readOnly, isolation, statement.has("SNAPSHOT"));
    }

    private static int level(String first, String second) {
        return switch (first) {
            case "SERIALIZABLE" -> Connection.TRANSACTION_SERIALIZABLE;
            case "REPEATABLE" -> Connection.TRANSACTION_REPEATABLE_READ;
            default ->
                second.equals("COMMITTED")
                        ? Connection.TRANSACTION_READ_COMMITTED
                        : Connection.TRANSACTION_READ_UNCOMMITTED;
        };
    }

    /** Returns these modes without those that others determine. */
    public TransactionModes without(TransactionModes others) {
        return new TransactionModes(
                others.readOnly == null ? readOnly : null, others.isolation == 0 ? isolation : 0, snapshot);
    }

    /** Returns these modes without READ WRITE. */
    public TransactionModes withoutReadWrite() {
        return new TransactionModes(Boolean.TRUE.equals(readOnly) ? readOnly : null, isolation, snapshot);
    }

    /** Returns these modes for a transaction whose snapshot is taken with its first statement. */
    public TransactionModes withoutSnapshot() {
        return new TransactionModes(readOnly, isolation, false);
    }

    /** Returns these modes, completed by others. */
    public TransactionModes over(TransactionModes other) {
        return new TransactionModes(
                readOnly == null ? other.readOnly : readOnly,
                isolation == 0 ? other.isolation : isolation,
                snapshot || other.snapshot);
    }
}
