// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.request.ErrorReports;
import io.multimed.server.dispatcher.request.Reply;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.observation.Phase;
import io.multimed.server.observation.PhaseClock;
import io.multimed.server.propagation.commit.LostCommits;
import java.sql.SQLException;

/** Creates, and delays where necessary, the replies to one client about statements on the master. */
final class MasterReplies {
    private final ServerContext server;
    private final TransactionState transaction;
    private final PhaseClock clock;

    MasterReplies(ClientContext client, ServerContext server) {
        this.server = server;
        this.transaction = client.transaction();
        this.clock = client.clock();
    }

    void count(StatementTask task) {
        (task.classification().isPureRead() ? node().reads() : node().updates()).increment();
    }

    /**
     * Sends the response when everything is published that the transaction may have seen. If a crash has undone some of
     * this, the transaction was rolled back; an outcome that is unknown remains unknown.
     */
    void replyWhenPublished(Reply reply, Response response) {
        clock.enter(Phase.PUBLISH);
        boolean unknown = response instanceof ErrorReport error && LostCommits.UNKNOWN.equals(error.sqlState());
        server.master()
                .visibilityBarrier()
                .whenPublished(() -> reply.send(response), () -> reply.send(unknown ? response : lost()));
    }

    Response lost() {
        return error(LostCommits.error());
    }

    /** @param scn of the client's commit or read; 0 if not known */
    SessionStatus status(long scn) {
        return transaction.status(node().ordinal(), scn);
    }

    /**
     * Returns the response to a failure before the commit was sent to the engine. If the connection broke, no change of
     * the transaction is or will be committed, because the engine's session has ended or will be ended.
     */
    Response uncommitted(Exception failure) {
        return error(isConnectionLost(failure) ? causedRollback((SQLException) failure) : failure);
    }

    /**
     * Returns the response to a failure of a statement that the engine commits by itself. If the connection broke, the
     * outcome is unknown.
     */
    Response undecided(Exception failure) {
        return error(
                isConnectionLost(failure)
                        ? new SQLException(
                                "the connection to node %s broke during a statement that commits by itself (%s): check whether it took effect"
                                        .formatted(node().name(), failure.getMessage()),
                                LostCommits.UNKNOWN,
                                failure)
                        : failure);
    }

    /** Returns the response to a defect outside of the client's statement; the connection is closed. */
    Response failed(Throwable defect) {
        return error(new SQLException(
                "the connection to node %s was closed after an error of the middleware or the engine's driver (%s): check whether the transaction took effect"
                        .formatted(node().name(), defect),
                LostCommits.UNKNOWN,
                defect));
    }

    private boolean isConnectionLost(Exception failure) {
        return failure instanceof SQLException sql
                && server.dialect().errors().isConnectionFailure(sql)
                && !server.dialect().errors().isDueToStatement(sql);
    }

    private SQLException causedRollback(SQLException cause) {
        return new SQLException(
                "the transaction was rolled back: the connection to node %s broke before its commit (%s); run it again"
                        .formatted(node().name(), cause.getMessage()),
                "40001",
                cause);
    }

    Response error(Exception failure) {
        return error(failure, status(0));
    }

    Response error(Exception failure, SessionStatus status) {
        return ErrorReports.report(failure, node().name(), status);
    }

    private ComputationalNode node() {
        return server.master().node();
    }
}
