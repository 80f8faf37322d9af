package io.multimed.server.dispatcher.execution;

import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.admission.RoutingClass;
import io.multimed.server.dispatcher.request.ErrorReports;
import io.multimed.server.dispatcher.request.Reply;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.dispatcher.statement.Cancellation;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Lets one client's reads wait until their routing class admits them. The client can cancel the wait. Used by one
 * thread at a time.
 */
final class ClassAdmission {
    private final ClientContext client;
    private final TransactionState transaction;

    ClassAdmission(ClientContext client) {
        this.client = client;
        this.transaction = client.transaction();
    }

    /**
     * Runs a read when its class admits it: immediately if it has none.
     *
     * @param then runs the task that it receives, whose answer ends the read for the class
     */
    void admit(StatementTask task, Consumer<StatementTask> then) {
        RoutingClass admitting = task.routingClass();
        if (admitting == null) {
            then.accept(task);
        } else {
            new Wait(admitting, task, then).begin();
        }
    }

    /** One read that waits. */
    private final class Wait implements RoutingClass.Execution {
        private final RoutingClass admitting;
        private final StatementTask task;
        private final Consumer<StatementTask> then;
        private final Cancellation cancellation = client.statements().cancellation();

        Wait(RoutingClass admitting, StatementTask task, Consumer<StatementTask> then) {
            this.admitting = admitting;
            this.task = task;
            this.then = then;
        }

        void begin() {
            try {
                cancellation.beginUnlessCancelled(this::cancel);
            } catch (SQLException e) {
                report(e);
                return;
            }
            admitting.admit(this);
            if (cancellation.hasHappened()) {
                cancel(); // the request came before it could end the wait
            }
        }

        private void cancel() {
            if (admitting.withdraw(this)) {
                report(canceled());
            }
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
                report(admitted, canceled());
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
            report(cause);
        }

        private void report(Exception failure) {
            report(task, failure);
        }

        private void report(StatementTask of, Exception failure) {
            of.reply()
                    .send(ErrorReports.report(
                            failure, ErrorReports.MIDDLEWARE, transaction.status(SessionStatus.NO_NODE, 0)));
        }

        private static SQLException canceled() {
            return new SQLException("canceling statement due to user request", Cancellation.CANCELLED);
        }
    }
}
