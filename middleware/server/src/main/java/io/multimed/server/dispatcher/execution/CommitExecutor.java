// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.extraction.CertifyingExtractor;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.request.Reply;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.dispatcher.statement.CancellableStatements;
import io.multimed.server.node.ConnectionFailures;
import io.multimed.server.node.Lease;
import io.multimed.server.observation.Phase;
import io.multimed.server.observation.PhaseClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Submits one client's transactions to the commit order. */
final class CommitExecutor {
    private final @Nullable String role;
    private final ServerContext server;
    private final TransactionState transaction;
    private final MasterSession session;
    private final MasterReplies replies;
    private final PhaseClock clock;
    private final CancellableStatements cancellable;

    CommitExecutor(ClientContext client, ServerContext server, MasterSession session, MasterReplies replies) {
        this.role = client.role();
        this.server = server;
        this.transaction = client.transaction();
        this.clock = client.clock();
        this.cancellable = new CancellableStatements(client.statements().cancellation(), server.dialect());
        this.session = session;
        this.replies = replies;
    }

    /**
     * Submits the open transaction. From then on the commit owns the lease, unless the session keeps it.
     *
     * @param alone whether the transaction must be a commit group of its own
     * @param answer creates the response from the status of the session afterwards
     */
    void order(Lease lease, Receipt receipt, Reply reply, boolean alone, Function<SessionStatus, Response> answer) {
        order(lease, receipt, reply, alone, answer, () -> {});
    }

    /**
     * Submits the open transaction, as above.
     *
     * @param onFailure called if the commit has failed
     */
    void order(
            Lease lease,
            Receipt receipt,
            Reply reply,
            boolean alone,
            Function<SessionStatus, Response> answer,
            Runnable onFailure) {
        WriteSetExtractor extractor = extractor(alone);
        boolean triggers = transaction.hasDefinedTriggers();
        boolean prepared = !alone && mustPrepare(extractor);
        try {
            if (prepared && !prepare(lease, extractor)) {
                invalidate(triggers);
                lease.markSessionChanged();
                session.endTransaction(lease);
                replies.replyWhenPublished(reply, answer.apply(replies.status(0)));
                return;
            }
        } catch (SQLException e) {
            onFailure.run();
            undo(lease, reply, e);
            return;
        }
        SessionFate fate = session.fate(extractor.leavesSessions());
        boolean changesDefaults = transaction.takeDefaultsChange();
        transaction.end();
        TransactionCommit.Outcome outcome = new TransactionCommit.Outcome() {
            @Override
            public void committed(Scn scn) {
                invalidate(triggers);
                Response response = answer.apply(replies.status(scn.value()));
                if (changesDefaults) {
                    server.schema().adoptDefaults(() -> reply.send(response));
                } else {
                    reply.send(response);
                }
            }

            @Override
            public void changed(WriteSet writeSet) {
                server.schema().committed(writeSet);
            }

            @Override
            public void failed(SQLException cause) {
                onFailure.run();
                reply.send(replies.error(cause));
            }

            @Override
            public void stopped() {
                server.suspensions().stopped(role);
            }

            @Override
            public boolean mayRunCode() {
                return prepared && extractor.mayRunCode();
            }

            @Override
            public void held(long begin) {
                server.suspensions().held(role, begin);
            }
        };
        clock.enter(Phase.COMMIT_GROUP);
        server.master()
                .order()
                .commit(new TransactionCommit(
                        lease, () -> settle(lease, fate, alone), extractor, receipt, fate, alone, outcome));
    }

    private void invalidate(boolean triggers) {
        if (triggers) {
            server.schema().changed();
        }
    }

    /** Returns whether the engine may have to do work for the commit that may wait for other transactions. */
    private boolean mustPrepare(WriteSetExtractor extractor) {
        return extractor.mustPrepare(transaction.changedRows())
                || transaction.mayDefer()
                || transaction.isPinned() // temporary tables may have triggers
                || server.schema().hasChangedSince(transaction.seen());
    }

    /**
     * Lets the engine do this work before the transaction joins the commit order, in which all other commits would wait
     * for it. The client can cancel it.
     *
     * @return whether the transaction must be sealed; otherwise it is committed
     */
    private boolean prepare(Lease lease, WriteSetExtractor extractor) throws SQLException {
        server.suspensions().admit(role);
        Connection connection = lease.connection();
        return cancellable.execute(
                connection, () -> server.dialect().streaming().cancel(connection), () -> {
                    boolean mustSeal = extractor.prepareCommit(connection);
                    if (!mustSeal) {
                        connection.commit();
                    }
                    return mustSeal;
                });
    }

    private void undo(Lease lease, Reply reply, SQLException error) {
        SQLException failure = ConnectionFailures.actualFailure(server.dialect().errors(), lease.connection(), error);
        if (session.isBroken(failure)) {
            session.lose(lease);
        } else {
            lease.markSessionChanged();
            session.rollBack(lease);
            session.endTransaction(lease);
        }
        replies.replyWhenPublished(reply, replies.uncommitted(failure));
    }

    /**
     * Returns the extractor. If the engine leaves write conflicts to Multimed, and the transaction may have read before
     * it wrote, the extractor certifies.
     */
    private WriteSetExtractor extractor(boolean alone) {
        WriteSetExtractor plain = server.master().extractor();
        return alone || !transaction.mayHaveReadBefore()
                ? plain
                : server.master()
                        .certifier()
                        .map(certifier -> certifier.certification(transaction.seen()))
                        .<WriteSetExtractor>map(check -> new CertifyingExtractor(plain, check))
                        .orElse(plain);
    }

    /** @param recordedSchema whether the transaction has recorded a schema change for the satellites */
    private void settle(Lease lease, SessionFate fate, boolean recordedSchema) {
        clock.enter(Phase.PUBLISH);
        if (recordedSchema && !lease.isBroken()) {
            try {
                server.dialect().sessions().ddlRecorded(lease.connection());
            } catch (SQLException e) {
                session.lose(lease);
                return;
            }
        }
        session.settle(lease, fate);
    }
}
