package io.multimed.server.dispatcher.execution;

import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.admission.RoutingClass;
import io.multimed.server.dispatcher.request.ErrorReports;
import io.multimed.server.dispatcher.request.Reply;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.node.Lease;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets one client's reads wait until their routing class admits them. The client can cancel the wait. Used by one
 * thread at a time.
 */
final class ClassAdmission {
    private final ClientContext client;
    private final TransactionState transaction;
    private final ReadFailures failures;

    ClassAdmission(ClientContext client, ReadFailures failures) {
        this.client = client;
        this.transaction = client.transaction();
        this.failures = failures;
    }

    /**
     * Runs a read when its class admits it: immediately if it has none.
     *
     * @param lease the connection of the transaction to which the read belongs; null if it has none
     * @param then runs the task that it receives, whose answer ends the read for the class
     */
    void admit(StatementTask task, @Nullable Lease lease, Consumer<StatementTask> then) {
        RoutingClass admitting = task.routingClass();
        if (admitting == null) {
            then.accept(task);
        } else {
            new Wait(admitting, task, lease, then).begin();
        }
    }

    /** One read that waits. */
    private final class Wait implements RoutingClass.Execution {
        private final RoutingClass admitting;
        private final StatementTask task;
        private final @Nullable Lease lease;
        private final Consumer<StatementTask> then;
        private final Cancellation cancellation = client.statements().cancellation();

        Wait(RoutingClass admitting, StatementTask task, @Nullable Lease lease, Consumer<StatementTask> then) {
            this.admitting = admitting;
            this.task = task;
            this.lease = lease;
            this.then = then;
        }

        void begin() {
            try {
                cancellation.beginUnlessCancelled(this::cancel);
            } catch (SQLException e) {
                reportCanceled(task);
                return;
            }
            admitting.admit(this);
            if (cancellation.hasHappened()) {
                cancel(); // the request came before it could end the wait
            }
        }

        private void cancel() {
            if (admitting.withdraw(this)) {
                reportCanceled(task);
            }
        }

        @Override
        public boolean blocksOthers() {
            if (lease == null) {
                return false;
            }
            lease.touch(); // its client waits, and is not idle
            return lease.node().waitingRequests() > 0;
        }

        @Override
        public void run() {
            cancellation.abandon();
            cancellation.waitAgain();
            AtomicBoolean ended = new AtomicBoolean();
            Reply reply = response -> {
                try {
                    task.reply().send(response);
                } finally {
                    if (!ended.getAndSet(true)) {
                        admitting.ended();
                    }
                }
            };
            StatementTask admitted = task.with(reply);
            if (cancellation.hasHappened()) {
                reportCanceled(admitted);
                return;
            }
            try {
                then.accept(admitted);
            } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
                report(admitted, new IllegalStateException(e));
            }
        }

        @Override
        public void refuse(SQLException cause) {
            cancellation.abandon();
            report(task, cause);
        }

        private void reportCanceled(StatementTask of) {
            failures.report(
                    of,
                    new SQLException("canceling statement due to user request", Cancellation.CANCELLED),
                    ErrorReports.MIDDLEWARE,
                    SessionStatus.NO_NODE);
        }

        private void report(StatementTask of, Exception failure) {
            of.reply()
                    .send(ErrorReports.report(
                            failure, ErrorReports.MIDDLEWARE, transaction.status(SessionStatus.NO_NODE, 0)));
        }
    }
}
