package io.multimed.server.dispatcher.administration;

import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.admission.RoutingClasses;
import io.multimed.server.dispatcher.cache.ResultCache;
import io.multimed.server.dispatcher.request.ErrorReports;
import io.multimed.server.dispatcher.request.Reply;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.propagation.commit.CommitOutcomes;
import java.sql.SQLException;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Executes the administrative statements and status queries of one client. Used by the session's current thread, except
 * for {@link #cancel}.
 */
public final class AdministrationHandler {
    private final boolean administrator;
    private final AdministrationExecutor executor;
    private final CommitOutcomes outcomes;
    private final Supplier<StatusReport> status;
    private final ResultCache cache;
    private final RoutingClasses classes;
    private final TransactionState transaction;

    /** The running task, or the last one; null if there was none. */
    private volatile @Nullable Future<?> running;

    /** @param administrator whether the client may change and verify the running system */
    public AdministrationHandler(
            boolean administrator,
            AdministrationExecutor executor,
            CommitOutcomes outcomes,
            Supplier<StatusReport> status,
            ResultCache cache,
            RoutingClasses classes,
            TransactionState transaction) {
        this.administrator = administrator;
        this.executor = executor;
        this.outcomes = outcomes;
        this.status = status;
        this.cache = cache;
        this.classes = classes;
        this.transaction = transaction;
    }

    public void run(String sql, Reply reply) {
        SQLException refusal = null;
        if (!administrator) {
            refusal = new SQLException(
                    "permission denied: this statement requires a user with administrator: true in listen.users of the System Model",
                    "42501");
        } else if (transaction.isOpen() || transaction.modes().isBegun()) {
            refusal = new SQLException("an administrative statement cannot run inside a transaction", "25001");
        }
        if (refusal == null) {
            running = executor.run(sql, status(), reply);
        } else {
            reply.send(ErrorReports.report(refusal, ErrorReports.MIDDLEWARE, status()));
        }
    }

    /** Answers SHOW MULTIMED STATUS, TABLES, VIEWS, CLASSES, CACHE [STATEMENTS], or OUTCOME with a receipt. */
    public void show(String sql, Reply reply) {
        if (TablesReport.isAsked(sql)) {
            running = executor.showTables(status(), reply);
            return;
        }
        if (CacheReport.isAsked(sql)) {
            reply.send(CacheReport.answer(sql, cache, status()));
            return;
        }
        if (ViewsReport.isAsked(sql)) {
            reply.send(ViewsReport.asResult(status.get().views(), status()));
            return;
        }
        if (ClassReport.isAsked(sql)) {
            reply.send(ClassReport.answer(classes, status()));
            return;
        }
        if (!OutcomeReport.isAsked(sql)) {
            reply.send(status.get().asResult(status()));
            return;
        }
        OutcomeReport.receipt(sql)
                .ifPresentOrElse(
                        receipt -> outcomes.find(
                                receipt, finding -> reply.send(OutcomeReport.asResult(receipt, finding, status()))),
                        () -> reply.send(
                                ErrorReports.report(OutcomeReport.malformed(), ErrorReports.MIDDLEWARE, status())));
    }

    /** Cancels the running task, if there is one. Called by any thread. */
    public void cancel() {
        Future<?> current = running;
        if (current != null) {
            current.cancel(true);
        }
    }

    private SessionStatus status() {
        return transaction.status(SessionStatus.NO_NODE, 0);
    }
}
