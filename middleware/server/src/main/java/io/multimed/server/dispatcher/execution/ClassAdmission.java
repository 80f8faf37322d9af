// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.server.dispatcher.admission.RoutingClass;
import io.multimed.server.dispatcher.request.Reply;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.statement.CancellableWaits;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.node.Lease;
import io.multimed.server.observation.Phase;
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
    private final ReadFailures failures;

    ClassAdmission(ClientContext client, ReadFailures failures) {
        this.client = client;
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
            client.clock().enter(Phase.QUEUE);
            new CancellableWaits(cancellation)
                    .begin(() -> admitting.admit(this), () -> admitting.withdraw(this), () -> failures.canceled(task));
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
        public boolean mayBlockOthers() {
            return lease != null;
        }

        @Override
        public void run() {
            cancellation.abandon();
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
            StatementTask admitted = task.withReply(reply);
            if (cancellation.wasRequested()) {
                failures.canceled(admitted);
                return;
            }
            try {
                then.accept(admitted);
            } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
                failures.refuse(admitted, new IllegalStateException(e));
            }
        }

        @Override
        public void refuse(SQLException cause) {
            cancellation.abandon();
            failures.refuse(task, cause);
        }
    }
}
