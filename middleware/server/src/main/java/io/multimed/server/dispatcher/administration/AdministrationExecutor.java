// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.request.ErrorReports;
import io.multimed.server.dispatcher.request.Reply;
import io.multimed.server.node.NamedThreads;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs administrators' statements on separate threads, because these statements take long. At most {@value #AT_ONCE}
 * run concurrently; further statements are refused.
 */
public final class AdministrationExecutor implements AutoCloseable {
    private static final int AT_ONCE = 8;

    private final Administration administration;
    private final Supplier<List<MetricSample>> metrics;

    /** Executes a statement, and returns the answer. */
    private interface Work {
        Response run() throws SQLException, InterruptedException;
    }

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0, AT_ONCE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), new NamedThreads("administration"));

    /** @param metrics returns the present values of all metrics */
    public AdministrationExecutor(Administration administration, Supplier<List<MetricSample>> metrics) {
        this.administration = administration;
        this.metrics = metrics;
    }

    /**
     * Runs a statement and sends the answer.
     *
     * @param status status of the session, which the statement does not change
     * @return the task that a cancel request must cancel; null if the statement was refused
     */
    @Nullable
    Future<?> submit(String sql, SessionStatus status, Reply reply) {
        return submit(() -> execute(sql, status), status, reply);
    }

    /** Sends the answer to SHOW MULTIMED TABLES, for which the master is read. Result as above. */
    @Nullable
    Future<?> showTables(Viewer viewer, SessionStatus status, Reply reply) {
        return submit(() -> TablesReport.asResult(administration.tables(), viewer, status), status, reply);
    }

    /** Sends the answer to SHOW MULTIMED METRICS, which takes longer than an I/O thread may. Result as above. */
    @Nullable
    Future<?> showMetrics(Viewer viewer, SessionStatus status, Reply reply) {
        return submit(() -> MetricsReport.asResult(metrics.get(), viewer, status), status, reply);
    }

    private @Nullable Future<?> submit(Work work, SessionStatus status, Reply reply) {
        AdministrationTask task = new AdministrationTask(() -> answer(work, status), reply, status);
        try {
            threads.execute(task);
            return task;
        } catch (RejectedExecutionException e) {
            SQLException busy = new SQLException(
                    "%d administrative statements are already running; try again later".formatted(AT_ONCE), "53300", e);
            reply.send(ErrorReports.report(busy, ErrorReports.MIDDLEWARE, status));
            return null;
        }
    }

    private Response execute(String sql, SessionStatus status) throws SQLException, InterruptedException {
        ResultTable found = AdministrativeStatement.parse(sql).execute(administration);
        return found == null
                ? new Executed(status, List.of(new Outcome.Count(0)), null, List.of())
                : found.asResult(status);
    }

    private static Response answer(Work work, SessionStatus status) {
        try {
            return work.run();
        } catch (InterruptedException e) {
            return canceled(status);
        } catch (SQLException | RuntimeException e) {
            return ErrorReports.report(e, ErrorReports.MIDDLEWARE, status);
        }
    }

    private static Response canceled(SessionStatus status) {
        return ErrorReports.report(new SQLException("canceled on request", "57014"), ErrorReports.MIDDLEWARE, status);
    }

    /** Sends exactly one answer, even if the task is canceled before it begins. */
    private static final class AdministrationTask extends FutureTask<Boolean> {
        private final AtomicBoolean begun;
        private final Reply reply;
        private final SessionStatus status;

        AdministrationTask(Supplier<Response> work, Reply reply, SessionStatus status) {
            this(work, reply, status, new AtomicBoolean());
        }

        private AdministrationTask(Supplier<Response> work, Reply reply, SessionStatus status, AtomicBoolean begun) {
            super(() -> {
                boolean first = begun.compareAndSet(false, true);
                if (first) {
                    reply.send(work.get());
                }
                return first;
            });
            this.begun = begun;
            this.reply = reply;
            this.status = status;
        }

        @Override
        protected void done() {
            if (begun.compareAndSet(false, true)) {
                reply.send(canceled(status));
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
