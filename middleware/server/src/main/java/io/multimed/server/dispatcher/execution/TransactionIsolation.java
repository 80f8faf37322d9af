// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.TransactionState;
import java.sql.Connection;
import java.sql.SQLException;

/** Sets the isolation level of one client's transactions on the master. Used by one thread at a time. */
final class TransactionIsolation {
    private final ServerContext server;
    private final TransactionState transaction;

    TransactionIsolation(ClientContext client, ServerContext server) {
        this.server = server;
        this.transaction = client.transaction();
    }

    /**
     * Sets the isolation level of the transaction that begins. On a pinned connection the level that the client has set
     * by SQL remains, unless the client requests another one.
     */
    void apply(Connection connection, StatementTask task) throws SQLException {
        int asked = task.mode().isolation();
        if (!transaction.isPinned()) {
            isolate(connection, asked == 0 ? isolationIfUnrequested(task) : asked);
        } else if (asked == 0) {
            keepOneSnapshot(connection, task);
        } else if (transaction.modes().isIsolationSet()) {
            server.dialect().transactions().isolateOnce(connection, asked);
        } else {
            server.dialect().transactions().isolate(connection, asked, connection.getTransactionIsolation());
        }
    }

    /** Sets the level of a transaction in a session that has the usual level, which the end of its use restores. */
    void isolate(Connection connection, int level) throws SQLException {
        int usual = server.masterIsolation();
        if (level != usual) {
            transaction.changeIsolation();
        }
        server.dialect().transactions().isolate(connection, level, usual);
    }

    /**
     * Returns whether the transaction that begins may be at REPEATABLE READ. The level that SQL has set on a pinned
     * connection is not asked for.
     */
    boolean mayBeOneSnapshot(StatementTask task) {
        int asked = task.mode().isolation();
        return asked == 0
                ? transaction.isPinned() || isolationIfUnrequested(task) == Connection.TRANSACTION_REPEATABLE_READ
                : asked == Connection.TRANSACTION_REPEATABLE_READ;
    }

    /**
     * Returns the isolation level of a transaction that requests none: a read-only transaction keeps one snapshot, as
     * on a satellite.
     */
    private int isolationIfUnrequested(StatementTask task) {
        int usual = server.masterIsolation();
        return isReadTransaction(task) ? Math.max(usual, Connection.TRANSACTION_REPEATABLE_READ) : usual;
    }

    private static boolean isReadTransaction(StatementTask task) {
        return task.mode().readOnly() && !task.mode().autoCommit();
    }

    /**
     * Raises the isolation level for this transaction, unless the client has set another level in its pinned session.
     */
    private void keepOneSnapshot(Connection connection, StatementTask task) throws SQLException {
        int usual = server.masterIsolation();
        int isolationIfUnrequested = isolationIfUnrequested(task);
        if (isolationIfUnrequested != usual && connection.getTransactionIsolation() == usual) {
            server.dialect().transactions().isolateOnce(connection, isolationIfUnrequested);
        }
    }
}
