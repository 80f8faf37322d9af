// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher;

import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.admission.StatementLimits;
import io.multimed.server.dispatcher.request.ErrorReports;
import io.multimed.server.dispatcher.request.Reply;
import io.multimed.server.dispatcher.request.SingleReply;
import io.multimed.server.dispatcher.statement.CancellableWaits;
import io.multimed.server.dispatcher.statement.Cancellation;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Lets one client's statements wait until {@link StatementLimits} admit them. The client can cancel the wait. Used by
 * one thread at a time.
 */
final class StatementAdmission {
    private static final Pattern ADMINISTRATIVE =
            Pattern.compile("\\s*(ALTER|SHOW|VERIFY)\\s+MULTIMED\\s", Pattern.CASE_INSENSITIVE);

    private final StatementLimits limits;
    private final ClientIdentity client;
    private final Cancellation cancellation;
    private final BooleanSupplier hasConnection;
    private final Supplier<SessionStatus> status;

    /**
     * @param hasConnection returns whether the client has a connection of a node, for a transaction or its session
     *     state; the number of these is limited already
     * @param status returns the state of the client's session
     */
    StatementAdmission(
            StatementLimits limits,
            ClientIdentity client,
            Cancellation cancellation,
            BooleanSupplier hasConnection,
            Supplier<SessionStatus> status) {
        this.limits = limits;
        this.client = client;
        this.cancellation = cancellation;
        this.hasConnection = hasConnection;
        this.status = status;
    }

    /**
     * Runs a statement when it is admitted: immediately if there are no limits, or if it is an administrator's, who may
     * be about to raise them.
     *
     * @param sql the text of the statement; empty if it is none of an administrator's
     * @param reply receives the answer
     * @param statement runs with the reply that it receives, whose answer ends the statement for the limits
     */
    void admit(String sql, Reply reply, Consumer<Reply> statement) {
        int mostOfUser = client.maxStatements().getAsInt();
        if (limits.apply(mostOfUser) && !administers(sql)) {
            new Wait(reply, statement).begin(mostOfUser);
        } else {
            statement.accept(reply);
        }
    }

    private boolean administers(String sql) {
        return client.administrator() && ADMINISTRATIVE.matcher(sql).lookingAt();
    }

    /** One statement that waits, or runs. */
    private final class Wait implements StatementLimits.Execution {
        private final Reply reply;
        private final Consumer<Reply> statement;

        Wait(Reply reply, Consumer<Reply> statement) {
            this.reply = new SingleReply(reply);
            this.statement = statement;
        }

        void begin(int mostOfUser) {
            new CancellableWaits(cancellation)
                    .begin(
                            () -> limits.admit(client.user(), mostOfUser, hasConnection.getAsBoolean(), this),
                            () -> limits.withdraw(client.user(), this),
                            () -> refuse(new SQLException(Cancellation.REASON, Cancellation.CANCELED)));
        }

        @Override
        public void run() {
            cancellation.abandon();
            AtomicBoolean hasEnded = new AtomicBoolean();
            Reply counted = response -> end(hasEnded, response);
            try {
                statement.accept(counted);
            } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
                end(hasEnded, report(new IllegalStateException(e)));
            }
        }

        private void end(AtomicBoolean hasEnded, Response response) {
            if (!hasEnded.getAndSet(true)) {
                limits.ended(client.user());
            }
            reply.send(response);
        }

        @Override
        public void refuse(SQLException cause) {
            cancellation.abandon();
            reply.send(report(cause));
        }

        private Response report(Exception cause) {
            return ErrorReports.report(cause, ErrorReports.MIDDLEWARE, status.get());
        }
    }
}
