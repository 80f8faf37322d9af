// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.Engine;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.master.UnrecordedDdl;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.node.ConnectionFailures;
import io.multimed.server.node.Lease;
import io.multimed.server.node.LeaseRequest;
import io.multimed.server.observation.Phase;
import io.multimed.server.observation.PhaseClock;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs schema changes that the client's own connection cannot announce and record: the account of a role has no
 * privileges on Multimed's tables, and a pinned connection may have temporary tables with the names of replicated ones,
 * or locks. The states are those of {@link DdlExecutor}. A connection of the master's user announces the
 * change, the client's connection runs the statement, and a connection of the master's user records the change and
 * commits under the client's receipt. A client never waits for one of the node's connections while it holds another,
 * unless it is pinned.
 */
final class SeparateDdlExecutor {
    private final @Nullable String role;
    private final ServerContext server;
    private final TransactionState transaction;
    private final MasterSession session;
    private final MasterReplies replies;
    private final PhaseClock clock;

    SeparateDdlExecutor(ClientContext client, ServerContext server, MasterSession session, MasterReplies replies) {
        this.role = client.role();
        this.server = server;
        this.transaction = client.transaction();
        this.session = session;
        this.replies = replies;
        this.clock = client.clock();
    }

    /**
     * One execution of a statement.
     *
     * @param number names the statement, for {@link MasterStore}
     * @param announcer the engine's number of the session that announces the statement
     */
    private record SeparateDdl(StatementTask task, SchemaChange change, long number, int announcer) {
        /** @param lost the engine's numbers of sessions whose connections broke: they are ended */
        UnrecordedDdl unrecorded(Set<Integer> lost) {
            return new UnrecordedDdl(change, Set.of(number), task.receipt().sessionId(), Set.of(announcer), lost);
        }
    }

    private MasterStore store() {
        return server.master().store();
    }

    private Engine engine() {
        return server.master().node().engine();
    }

    /** Announces the change, which removes the tables concerned from the satellites, and runs the statement. */
    void executeSeparately(StatementTask task, SchemaChange change) {
        leaseOwn(task, own -> announce(own, task, change), cause -> task.reply().send(replies.error(cause)));
    }

    /** Leases a connection that runs as the master's user. */
    private void leaseOwn(StatementTask task, Consumer<Lease> use, Consumer<SQLException> otherwise) {
        clock.enter(Phase.QUEUE);
        server.master().node().lease(new LeaseRequest() {
            @Override
            public void leased(Lease lease) {
                session.guard(lease, task.reply(), () -> use.accept(lease));
            }

            @Override
            public void refused(SQLException cause) {
                otherwise.accept(cause);
            }
        });
    }

    private void announce(Lease own, StatementTask task, SchemaChange change) {
        SeparateDdl ddl =
                new SeparateDdl(task, change, server.pendingDdl().nextStatement(), engine().session(own.connection()));
        boolean announced;
        try {
            if (role != null) {
                engine().requireDdlPrivilege(() -> server.master().pools().loginOf(role), change);
            }
        } catch (SQLException e) {
            own.release();
            replies.replyWhenPublished(task.reply(), replies.uncommitted(e));
            return;
        }
        try {
            own.connection().setAutoCommit(false);
            announced = store().ddl().announceDdl(own.connection(), change, ddl.number());
        } catch (SQLException | RuntimeException e) {
            Exception failure = ConnectionFailures.actualFailure(own, e);
            recordLater(ddl, session.isBroken(failure) ? Set.of(ddl.announcer()) : Set.of());
            own.discard();
            replies.replyWhenPublished(task.reply(), replies.uncommitted(failure));
            return;
        }
        if (announced) {
            order(own, ddl, own::release, server.receipts().next(), scn -> execute(ddl));
        } else {
            own.release();
            execute(ddl);
        }
    }

    /**
     * Commits the WriteSet of the connection's transaction.
     *
     * @param settled runs when the transaction has ended
     * @param published runs when the commit is published; must not block
     */
    private void order(Lease own, SeparateDdl ddl, Runnable settled, Receipt receipt, Consumer<Scn> published) {
        Set<Integer> committing = Set.of(engine().session(own.connection()));
        clock.enter(Phase.COMMIT_GROUP);
        server.master()
                .order()
                .commit(new TransactionCommit(
                        own,
                        settled,
                        server.master().extractor(),
                        receipt,
                        new SessionFate(true),
                        true,
                        new TransactionCommit.Outcome() {
                            @Override
                            public void committed(Scn scn) {
                                published.accept(scn);
                            }

                            @Override
                            public void changed(WriteSet writeSet) {
                                server.schema().committed(writeSet);
                            }

                            @Override
                            public void failed(SQLException cause) {
                                recordLater(ddl, session.isBroken(cause) ? committing : Set.of());
                                ddl.task().reply().send(replies.error(cause));
                            }
                        }));
    }

    private void execute(SeparateDdl ddl) {
        Lease pinned = transaction.leaseOrNull();
        if (pinned == null) {
            session.lease(ddl.task(), false, lease -> execute(lease, ddl), () -> recordLater(ddl, Set.of()));
        } else {
            pinned.submit(() -> session.guard(pinned, ddl.task().reply(), () -> execute(pinned, ddl)));
        }
    }

    /** Runs the statement on the client's connection. If the engine refuses it, the tables return to the satellites. */
    private void execute(Lease lease, SeparateDdl ddl) {
        int running = engine().session(lease.connection());
        Response result = null;
        SQLException refusal = null;
        try {
            lease.connection().setAutoCommit(true);
            session.watchIfDue(lease);
            try {
                result = runStatement(lease, ddl.task());
            } catch (SQLException e) {
                refusal = e;
                if (session.isBroken(ConnectionFailures.actualFailure(lease, e))) {
                    throw e;
                }
            } finally {
                server.schema().changed();
            }
            lease.connection().setAutoCommit(false);
        } catch (SQLException | RuntimeException e) {
            Exception failure = ConnectionFailures.actualFailure(lease, e);
            recordLater(ddl, Set.of(running)); // the announcing session may be another client's by now
            session.undo(lease, transaction.isPinned(), failure);
            replies.replyWhenPublished(ddl.task().reply(), replies.undecided(failure));
            return;
        }
        SessionFate fate = session.fate(false);
        transaction.end();
        session.settle(lease, fate);
        Response answer = result;
        SQLException failure = refusal;
        leaseOwn(ddl.task(), own -> record(own, ddl, answer, failure), cause -> {
            recordLater(ddl, Set.of());
            replyUnrecorded(ddl, answer, failure);
        });
    }

    private Response runStatement(Lease lease, StatementTask task) throws SQLException {
        if (!transaction.modes().isReadOnly()) {
            return session.executeOutside(lease, task);
        }
        server.dialect().transactions().forbidCommitted(lease.connection(), true);
        try {
            return session.executeOutside(lease, task);
        } finally {
            server.dialect().transactions().forbidCommitted(lease.connection(), false);
        }
    }

    /**
     * Records the change for the satellites. The client receives no error if only this is not possible yet. The
     * settings of the connection then differ from those of clients' connections: it is discarded.
     */
    private void record(Lease own, SeparateDdl ddl, @Nullable Response result, @Nullable SQLException refusal) {
        try {
            own.connection().setAutoCommit(false);
            store().ddl().recordPendingDdl(own.connection(), ddl.unrecorded(Set.of()));
        } catch (SQLException | RuntimeException e) {
            Exception failure = ConnectionFailures.actualFailure(own, e);
            own.discard();
            if (PendingDdl.isUnreplicable(failure)) {
                replies.replyWhenPublished(ddl.task().reply(), replies.undecided(failure));
            } else {
                recordLater(ddl, Set.of());
                replyUnrecorded(ddl, result, refusal);
            }
            return;
        }
        order(
                own,
                ddl,
                own::discard,
                ddl.task().receipt(),
                scn -> ddl.task().reply().send(answer(replies.status(scn.value()), result, refusal)));
    }

    private void replyUnrecorded(SeparateDdl ddl, @Nullable Response result, @Nullable SQLException refusal) {
        replies.replyWhenPublished(ddl.task().reply(), answer(replies.status(0), result, refusal));
    }

    private Response answer(SessionStatus status, @Nullable Response result, @Nullable SQLException refusal) {
        return result == null ? replies.error(Objects.requireNonNull(refusal), status) : result.withStatus(status);
    }

    private void recordLater(SeparateDdl ddl, Set<Integer> lost) {
        server.pendingDdl().add(ddl.unrecorded(lost));
    }
}
