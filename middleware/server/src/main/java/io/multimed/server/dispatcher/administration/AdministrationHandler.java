// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.engine.sql.SqlReader;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.audit.ClientAudit;
import io.multimed.server.dispatcher.admission.RoutingClasses;
import io.multimed.server.dispatcher.cache.ResultCache;
import io.multimed.server.dispatcher.request.ErrorReports;
import io.multimed.server.dispatcher.request.Reply;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.observation.SlowStatements;
import io.multimed.server.propagation.commit.CommitOutcomes;
import java.sql.SQLException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Executes the administrative statements and status queries of one client. Used by the session's current thread. */
public final class AdministrationHandler {
    private static final Pattern SHOW_STATUS =
            Pattern.compile("\\s*SHOW\\s+MULTIMED(\\s+STATUS)?\\s*;?\\s*", Pattern.CASE_INSENSITIVE);

    /** A comment; the statements of Multimed contain no strings. */
    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|(--|#)[^\\n]*", Pattern.DOTALL);

    private final Viewer viewer;
    private final Sources sources;
    private final ClientAudit audit;
    private final TransactionState transaction;
    private final Cancellation cancellation;

    /**
     * What all clients share.
     *
     * @param status returns the state of all nodes
     * @param reader reads texts of statements
     */
    public record Sources(
            AdministrationExecutor executor,
            CommitOutcomes outcomes,
            Supplier<StatusReport> status,
            ResultCache cache,
            RoutingClasses classes,
            SlowStatements slow,
            SqlReader reader) {}

    public AdministrationHandler(Viewer viewer, Sources sources, ClientAudit audit, ClientContext client) {
        this.viewer = viewer;
        this.sources = sources;
        this.audit = audit;
        this.transaction = client.transaction();
        this.cancellation = client.statements().cancellation();
    }

    public void administer(String sql, Reply reply) {
        SQLException refusal = null;
        if (!viewer.administrator()) {
            refusal = notPermitted();
        } else if (transaction.isOpen() || transaction.modes().isBegun()) {
            refusal = new SQLException("an administrative statement cannot run inside a transaction", "25001");
        }
        if (refusal == null) {
            runCancellable(() -> sources.executor.submit(sql, status(), audited(sql, reply)));
        } else {
            audit.record(
                    "statement",
                    "refused",
                    AdministrativeStatement.withoutDefinition(sql) + ": " + refusal.getSQLState());
            reply.send(ErrorReports.report(refusal, ErrorReports.MIDDLEWARE, status()));
        }
    }

    /** Records the statement before it runs, and its outcome. */
    private Reply audited(String sql, Reply reply) {
        String statement = AdministrativeStatement.withoutDefinition(sql);
        audit.record("statement", "begun", statement);
        return response -> {
            if (response instanceof ErrorReport error) {
                audit.record("statement", "failed", statement + ": " + error.sqlState());
            } else {
                audit.record("statement", "done", statement);
            }
            reply.send(response);
        };
    }

    /** Answers SHOW MULTIMED [STATUS], and the other words that {@link #unknownShow} lists. */
    public void show(String sql, Reply reply) {
        String statement = COMMENT.matcher(sql).replaceAll(" ");
        if (TablesReport.matches(statement)) {
            runCancellable(() -> sources.executor.showTables(viewer, status(), reply));
        } else if (CacheReport.matches(statement)) {
            showCache(CacheReport.asksForStatements(statement), reply);
        } else if (ViewsReport.matches(statement)) {
            reply.send(ViewsReport.asResult(sources.status.get().views(), viewer, status()));
        } else if (ClassReport.matches(statement)) {
            reply.send(ClassReport.answer(sources.classes, status()));
        } else if (SlowReport.matches(statement)) {
            forAdministrators(reply, () -> SlowReport.asResult(sources.slow.latest(), status()));
        } else if (MetricsReport.matches(statement)) {
            runCancellable(() -> sources.executor.showMetrics(viewer, status(), reply));
        } else if (OutcomeReport.matches(statement)) {
            showOutcome(statement, reply);
        } else if (SHOW_STATUS.matcher(statement).matches()) {
            StatusReport all = sources.status.get();
            reply.send((viewer.seesAllNames() ? all : all.withoutNames()).asResult(status()));
        } else {
            reply.send(ErrorReports.report(unknownShow(), ErrorReports.MIDDLEWARE, status()));
        }
    }

    private void showCache(boolean statements, Reply reply) {
        if (statements) {
            forAdministrators(reply, () -> CacheReport.ofStatements(sources.cache, sources.reader, status()));
        } else {
            reply.send(CacheReport.asResult(sources.cache.statistics(), status()));
        }
    }

    /** Answers with texts of all users' statements. */
    private void forAdministrators(Reply reply, Supplier<Response> answer) {
        reply.send(
                viewer.administrator()
                        ? answer.get()
                        : ErrorReports.report(notPermitted(), ErrorReports.MIDDLEWARE, status()));
    }

    private static SQLException notPermitted() {
        return new SQLException(
                "permission denied: this statement requires a user with administrator: true in listen.users of the System Model",
                "42501");
    }

    private void showOutcome(String statement, Reply reply) {
        if (!sources.outcomes.areKept()) {
            reply.send(ErrorReports.report(OutcomeReport.withoutReceipts(), ErrorReports.MIDDLEWARE, status()));
            return;
        }
        OutcomeReport.receipt(statement)
                .ifPresentOrElse(
                        receipt -> sources.outcomes.find(
                                receipt, finding -> reply.send(OutcomeReport.asResult(receipt, finding, status()))),
                        () -> reply.send(
                                ErrorReports.report(OutcomeReport.malformed(), ErrorReports.MIDDLEWARE, status())));
    }

    private static SQLException unknownShow() {
        return new SQLException(
                "syntax error; the statements are: SHOW MULTIMED STATUS, SHOW MULTIMED TABLES, SHOW MULTIMED VIEWS, SHOW MULTIMED CLASSES, SHOW MULTIMED METRICS, SHOW MULTIMED SLOW STATEMENTS, SHOW MULTIMED CACHE, SHOW MULTIMED CACHE STATEMENTS, and SHOW MULTIMED OUTCOME session sequence",
                "42601");
    }

    /** @param start starts a task; returns null if the task was refused */
    private void runCancellable(Supplier<@Nullable Future<?>> start) {
        AtomicReference<@Nullable Future<?>> running = new AtomicReference<>();
        Cancellation.Canceler canceler = () -> {
            Future<?> task = running.get();
            if (task != null) {
                task.cancel(true);
            }
        };
        cancellation.begin(canceler);
        Future<?> task = start.get();
        running.set(task);
        if (task != null && cancellation.wasRequested()) {
            task.cancel(true); // the request came before it could end the task; has no effect on one that has ended
        }
    }

    private SessionStatus status() {
        return transaction.status(SessionStatus.NO_NODE, 0);
    }
}
