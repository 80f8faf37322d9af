// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.dialect.ErrorClassifier.AfterError;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.request.ErrorReports;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.dispatcher.statement.Cancellation;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;

/**
 * Reports failures of one client's reads outside of a node's transaction. A read that has failed before its read-write
 * transaction began runs once more on the master, which begins the transaction: the engine then determines the state of
 * the transaction after the error. Used by one thread at a time.
 */
final class ReadFailures {
    private final ServerContext server;
    private final ClientContext client;
    private final TransactionState transaction;
    private final MasterExecutor master;

    ReadFailures(ClientContext client, ServerContext server, MasterExecutor master) {
        this.server = server;
        this.client = client;
        this.transaction = client.transaction();
        this.master = master;
    }

    /**
     * Answers a read that has failed, or has it run on the master.
     *
     * @param where the node that has failed, or {@link ErrorReports#MIDDLEWARE}
     * @param node ordinal of the node; {@link SessionStatus#NO_NODE} if none has answered
     */
    void report(StatementTask task, Exception failure, String where, int node) {
        if (task.precedesWrites() && !isFinal(failure)) {
            transaction.setRoute(new Route(Route.Reason.SATELLITE_LACKS, state(failure)));
            master.executeOnMaster(task);
            return;
        }
        if (task.precedesWrites()
                && failure instanceof SQLException sql
                && server.dialect().errors().afterError(sql) == AfterError.FAILED) {
            transaction.failed();
        }
        task.reply().send(ErrorReports.report(failure, where, transaction.status(node, 0)));
    }

    /** Answers a read that the client has canceled before a node ran the read. */
    void canceled(StatementTask task) {
        if (task.precedesWrites()
                && !transaction.isOpen()
                && server.dialect().errors().afterCancel() == AfterError.FAILED) {
            transaction.failed();
        }
        refuse(task, new SQLException(Cancellation.REASON, Cancellation.CANCELED));
    }

    /** Answers a read that no node runs. The state of the transaction remains. */
    void refuse(StatementTask task, Exception cause) {
        task.reply()
                .send(ErrorReports.report(
                        cause, ErrorReports.MIDDLEWARE, transaction.status(SessionStatus.NO_NODE, 0)));
    }

    /** Returns whether the read must not run again: the client has canceled the read, or it took too much. */
    private boolean isFinal(Exception failure) {
        return client.statements().cancellation().wasRequested()
                || failure instanceof SQLTimeoutException
                || (failure instanceof SQLException sql
                        && (server.dialect().errors().hasTimedOut(sql)
                                || server.dialect().errors().isDueToStatement(sql)));
    }

    private static String state(Exception failure) {
        return failure instanceof SQLException sql ? String.valueOf(sql.getSQLState()) : "";
    }
}
