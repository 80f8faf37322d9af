package io.multimed.server.dispatcher;

import io.multimed.protocol.session.SessionStatus;
import java.sql.SQLException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** What one client tells or asks Multimed itself: {@link AdministrativeDesk}, and the reports. */
final class AdministrativeWork {
    private final boolean administrator;
    private final Dispatcher dispatcher;
    private final TransactionState transaction;

    /** What runs, or ran last. */
    private volatile @Nullable Future<?> running;

    /** @param administrator whether the client may change and check the running system */
    AdministrativeWork(boolean administrator, Dispatcher dispatcher, TransactionState transaction) {
        this.administrator = administrator;
        this.dispatcher = dispatcher;
        this.transaction = transaction;
    }

    void run(String sql, Reply reply) {
        SQLException refusal = null;
        if (!administrator) {
            refusal = new SQLException(
                    "only an administrator may do this: listen.users with administrator: true in the System Model",
                    "42501");
        } else if (transaction.isOpen() || transaction.isBegunBySql()) {
            refusal = new SQLException("this cannot run inside a transaction", "25001");
        }
        if (refusal == null) {
            running = dispatcher.desk().run(sql, status(), reply);
        } else {
            reply.send(Errors.report(refusal, Errors.MIDDLEWARE, status()));
        }
    }

    /** SHOW MULTIMED STATUS, or OUTCOME with a receipt. */
    void show(String sql, Reply reply) {
        if (!OutcomeReport.isAsked(sql)) {
            reply.send(dispatcher.status().asResult(status()));
            return;
        }
        OutcomeReport.receipt(sql)
                .ifPresentOrElse(
                        receipt -> dispatcher
                                .outcomes()
                                .find(
                                        receipt,
                                        finding -> reply.send(OutcomeReport.asResult(receipt, finding, status()))),
                        () -> reply.send(Errors.report(OutcomeReport.malformed(), Errors.MIDDLEWARE, status())));
    }

    /** Has what runs given up. */
    void cancel() {
        Future<?> current = running;
        if (current != null) {
            current.cancel(true);
        }
    }

    private SessionStatus status() {
        return transaction.status(SessionStatus.NO_NODE, 0);
    }
}
