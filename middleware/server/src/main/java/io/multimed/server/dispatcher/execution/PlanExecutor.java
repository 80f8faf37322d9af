// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.TransactionModes;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.value.Warning;
import io.multimed.server.dispatcher.administration.AdministrationHandler;
import io.multimed.server.dispatcher.request.ErrorReports;
import io.multimed.server.dispatcher.request.Reply;
import io.multimed.server.dispatcher.request.SingleReply;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.routing.StatementPlan;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.node.ConnectionFailures;
import io.multimed.server.node.Lease;
import io.multimed.server.observation.Phase;
import io.multimed.server.propagation.freshness.Dependencies;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Executes the plans for one client's statements: passes them to the executors of the master and of the satellites, and
 * itself executes statements that only declare where transactions begin and end. Methods do not block. Used by one
 * thread at a time.
 */
public final class PlanExecutor {
    private static final String IN_TRANSACTION = "25001";
    private static final String NOT_IN_TRANSACTION = "25P01";

    private final ClientContext client;
    private final ServerContext server;
    private final TransactionState transaction;
    private final SatelliteExecutor satellites;
    private final ReadExecutor reads;
    private final MasterExecutor master;
    private final AdministrationHandler administration;

    public PlanExecutor(ClientContext client, ServerContext server, AdministrationHandler administration) {
        this.client = client;
        this.server = server;
        this.transaction = client.transaction();
        this.administration = administration;
        this.master = new MasterExecutor(client, server);
        ReadFailures failures = new ReadFailures(client, server, master);
        this.satellites = new SatelliteExecutor(client, server, master, failures);
        this.reads = new ReadExecutor(client, server, failures, satellites);
    }

    /**
     * Commits the open transaction for a statement before which the engine would commit, through the commit order.
     *
     * @param then runs the statement; not called if the commit fails, which is then the answer to the statement
     */
    public void commitFirst(StatementTask task, Runnable then) {
        Reply committed = response -> {
            if (response instanceof ErrorReport) {
                task.reply().send(response);
            } else {
                then.run();
            }
        };
        if (task.classification().kind() == Classification.Kind.BEGIN
                && server.dialect().transactions().beginKeepsModes()) {
            transaction.modes().keepNext();
        }
        commit(server.receipts().next(), committed, Done::new);
    }

    /**
     * Executes the plan for a statement of the client.
     *
     * @param sql the text of the statement; empty if there are several
     */
    public void execute(StatementPlan plan, String sql, StatementTask task) {
        transaction.noteSessionEffects(task.classification());
        boolean mayKeepModes = task.isNextTransaction() && transaction.modes().singleStatement();
        plan.execute(new Execution(sql, mayKeepModes ? keepingModes(task) : task));
    }

    /** Returns a task that keeps the modes of the next transaction, unless it has begun a transaction in the engine. */
    private StatementTask keepingModes(StatementTask task) {
        Reply reply = task.reply();
        return task.withReply(new SingleReply(response -> {
            transaction.modes().endSingleStatement(hasBegun(task, response instanceof ErrorReport));
            reply.send(response);
        }));
    }

    /** Returns whether a statement has begun a transaction in the engine; null if that is unknown. */
    private @Nullable Boolean hasBegun(StatementTask task, boolean failed) {
        return switch (task.classification().kind()) {
            case COMMIT, ROLLBACK, DISCARD_ALL -> true;
            case NON_TRANSACTIONAL, EVERYWHERE -> failed ? null : Boolean.TRUE;
            case NOTHING, SHOW_STATUS, EXPLAIN_ROUTE, ADMINISTER, REFUSED, AUTOCOMMIT_ON -> false;
            default -> {
                Boolean reported = transaction.modes().begunInEngine();
                boolean readElsewhere =
                        reported == null && !failed && task.classification().changesNothing();
                yield readElsewhere
                        ? Boolean.valueOf(!task.classification().tables().isEmpty())
                        : reported;
            }
        };
    }

    /** Executes the plan for a task that is no statement of the client: a query on the catalog, or a savepoint. */
    public void execute(StatementPlan plan, StatementTask task) {
        plan.execute(new Execution("", task));
    }

    /**
     * Commits, by JDBC or by SQL.
     *
     * @param receipt names the commit
     * @param answer creates the response from the status of the session afterwards
     */
    public void commit(Receipt receipt, Reply reply, Function<SessionStatus, Response> answer) {
        Reply single = new SingleReply(reply);
        end(single, answer, lease -> master.commit(lease, receipt, single, answer));
    }

    /** Rolls back; the parameters are as for {@link #commit}. */
    public void rollback(Reply reply, Function<SessionStatus, Response> answer) {
        Reply single = new SingleReply(reply);
        end(single, answer, lease -> master.rollback(lease, single, answer));
    }

    private void end(Reply reply, Function<SessionStatus, Response> answer, Consumer<Lease> onMaster) {
        String predicted = transaction.predicted();
        if (predicted != null && transaction.isOpen()) {
            server.forecast().ended(predicted, transaction.onlyRead());
        }
        if (!transaction.isOpen()) {
            transaction.end();
            reply.send(answer.apply(status()));
        } else if (transaction.isOnMaster()) {
            Lease lease = transaction.lease();
            client.clock().enter(Phase.QUEUE);
            lease.submit(() -> master.guard(lease, reply, () -> onMaster.accept(lease)));
        } else {
            satellites.end(reply, answer);
        }
    }

    /**
     * Returns the error for a client that reads a result outside a transaction, if the result's connection was lost;
     * empty if the failure has another cause. The connection does not belong to the client, so its error is not passed
     * on.
     */
    public Optional<SQLException> lostWhileReading(Lease lease, Exception failure) {
        return !lease.isRevoked()
                        && ConnectionFailures.actualFailure(lease, failure) instanceof SQLException sql
                        && server.dialect().errors().isConnectionFailure(sql)
                ? Optional.of(new SQLException(
                        "node %s was lost while its result was read; run the query again: %s"
                                .formatted(lease.node().name(), failure.getMessage()),
                        "40001",
                        failure))
                : Optional.empty();
    }

    /** Handles a failure in the open transaction outside of a statement, and returns the response for the client. */
    public Response failed(Lease lease, Exception failure) {
        return transaction.isOnMaster() ? master.failed(lease, failure) : satellites.failed(lease, failure);
    }

    private SessionStatus status() {
        return transaction.status(SessionStatus.NO_NODE, 0);
    }

    private static Executed nothing(SessionStatus status) {
        return nothing(status, List.of());
    }

    private static Executed nothing(SessionStatus status, List<Warning> warnings) {
        return new Executed(status, List.of(new Outcome.Count(0)), null, warnings);
    }

    /** Executes the plan for one statement. */
    private final class Execution implements StatementPlan.Visitor {
        private final String sql;
        private final StatementTask task;

        Execution(String sql, StatementTask task) {
            this.sql = sql;
            this.task = task;
        }

        @Override
        public void runWhereBound() {
            transaction.setRouteOfBound();
            Lease lease = transaction.lease();
            if (transaction.isOnMaster()) {
                client.clock().enter(Phase.QUEUE);
                lease.submit(() -> master.runOn(lease, task));
            } else {
                reads.continueTransaction(lease, task);
            }
        }

        @Override
        public void readOnSatellite() {
            reads.read(task);
        }

        @Override
        public void readCatalog() {
            transaction.setRoute(Route.CATALOG);
            master.alone(task);
        }

        @Override
        public void runOnMaster(Route why) {
            transaction.setRoute(why);
            master.executeOnMaster(task);
        }

        @Override
        public void continueOnMaster(StatementPlan then) {
            satellites.leave();
            then.execute(this);
        }

        @Override
        public void moveToMaster(Route why) {
            String predicted = transaction.predicted();
            if (predicted != null) {
                server.forecast().ended(predicted, false);
                transaction.predict(null);
            }
            if (client.cursors().dependOnTransaction()) {
                Lease lease = transaction.lease();
                lease.submit(() -> moveWithResults(lease, why));
            } else {
                move(why);
            }
        }

        private void moveWithResults(Lease lease, Route why) {
            try {
                client.cursors().readAhead();
            } catch (SQLException | RuntimeException e) {
                task.reply().send(satellites.failed(lease, e));
                return;
            }
            move(why);
        }

        private void move(Route why) {
            List<Dependencies> read = transaction.tracked();
            Scn snapshot = transaction.seen();
            satellites.leave();
            transaction.setRoute(why);
            master.move(task, read, snapshot);
        }

        @Override
        public void runOnAllNodes(StatementPlan then) {
            then.execute(new Execution(sql, task.withAction((connection, whole) -> {
                Response response = task.execute(connection, whole);
                server.master().store().ddl().shareStatement(connection, sql);
                return response;
            })));
        }

        @Override
        public void runOutsideTransaction() {
            transaction.setRoute(Route.UPDATE);
            master.runOutsideTransaction(task);
        }

        @Override
        public void begin(TransactionModes modes) {
            List<Warning> warnings = task.mode().autoCommit() ? List.of() : warnings(IN_TRANSACTION);
            begun(modes);
            task.reply().send(nothing(status(), warnings));
        }

        /** Where setReadOnly does not concern auto-commit mode, the drivers do not apply it to a BEGIN of SQL there. */
        private void begun(TransactionModes modes) {
            boolean ignoresReadOnly =
                    task.mode().autoCommit() && !server.dialect().transactions().isReadOnlyInAutoCommit();
            transaction.modes().begin(modes, ignoresReadOnly);
            if (task.mode().hasRead()) {
                transaction.readBeforeBegin();
            }
        }

        /** Returns the engine's warning about the state of the transaction, if it has one. */
        private List<Warning> warnings(String sqlState) {
            String text = task.classification().refusal();
            return text.isEmpty() ? List.of() : List.of(new Warning(sqlState, 0, text));
        }

        /** Returns the answer to the statement that ends a transaction: with a warning if none is open. */
        private Function<SessionStatus, Response> ended() {
            boolean alone = task.mode().autoCommit() && !transaction.isOpen();
            List<Warning> warnings = alone ? warnings(NOT_IN_TRANSACTION) : List.of();
            return status -> nothing(status, warnings);
        }

        /**
         * Lets the client's own statement begin the transaction in the engine immediately, and therefore on the node
         * that holds every table.
         */
        @Override
        public void beginWithSnapshot(TransactionModes modes) {
            begun(modes);
            transaction.setRoute(Route.UPDATE);
            StatementTask beginning = task.withMode(transaction.modes().over(task.mode()));
            Lease own = transaction.leaseOrNull();
            if (own == null) {
                master.executeOnMaster(beginning);
            } else {
                client.clock().enter(Phase.QUEUE);
                own.submit(() -> master.runOn(own, beginning));
            }
        }

        @Override
        public void declareModes(TransactionModes modes, boolean allTransactions) {
            transaction.declareModes(modes, allTransactions);
            acknowledge();
        }

        @Override
        public void switchAutoCommit(boolean on) {
            transaction.modes().setAutoCommitOff(!on);
            if (on) {
                transaction.modes().keepNext();
                PlanExecutor.this.commit(task.receipt(), task.reply(), ended());
            } else {
                acknowledge();
            }
        }

        @Override
        public void commit() {
            PlanExecutor.this.commit(task.receipt(), task.reply(), ended());
        }

        @Override
        public void rollback() {
            PlanExecutor.this.rollback(task.reply(), ended());
        }

        @Override
        public void discardSession() {
            Lease lease = transaction.leaseOrNull();
            if (lease != null) {
                lease.submit(lease::discard);
            }
            transaction.connectionLost();
            client.zone().set("");
            server.pins().remove(client.sessionId());
            acknowledge();
        }

        @Override
        public void acknowledge() {
            task.reply().send(nothing(status()));
        }

        @Override
        public void showStatus() {
            administration.show(sql, task.reply());
        }

        @Override
        public void administer() {
            administration.administer(sql, task.reply());
        }

        @Override
        public void refuse(String message, String sqlState) {
            task.reply()
                    .send(ErrorReports.report(new SQLException(message, sqlState), ErrorReports.MIDDLEWARE, status()));
        }
    }
}
