// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.observation;

import io.multimed.engine.sql.SqlReader;
import io.multimed.model.observation.LogSettings;
import io.multimed.protocol.session.TraceContext;
import io.multimed.server.node.NamedThreads;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Observes the statements of all clients. The thread that answers a statement only decides whether the statement is
 * worth a report; a thread of its own makes the report, because the answering thread may be one of the network's, or
 * the publisher's, and a log can block. Thread-safe.
 */
public final class StatementObserver implements AutoCloseable {
    /** Number of reports that wait, each with a text of bounded length. Further ones are lost, and counted. */
    private static final int WAITING = 500;

    private final SqlReader reader;
    private final Supplier<List<String>> nodes;
    private final long slowNanos;
    private final SlowStatements slow;
    private final StatementTracer tracer;
    private final LongAdder lost = new LongAdder();
    private final ThreadPoolExecutor reports = new ThreadPoolExecutor(
            1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING), new NamedThreads("statement-reports"));

    /**
     * @param reader reads the statements of the engine
     * @param tracer sends spans of statements; closed with the observer
     * @param nodes returns the names of all present and former nodes; the index is a node's ordinal
     */
    public StatementObserver(
            LogSettings settings, StatementTracer tracer, SqlReader reader, Supplier<List<String>> nodes) {
        this.reader = reader;
        this.tracer = tracer;
        this.nodes = nodes;
        this.slowNanos = settings.slowStatements().isZero()
                ? Long.MAX_VALUE
                : settings.slowStatements().toNanos();
        this.slow = new SlowStatements(settings.writesSlowStatements());
    }

    /**
     * Returns the observer of one client's statements.
     *
     * @param address of the client, with its port
     */
    public ClientObserver client(String user, String address) {
        return new ClientObserver(this, user, address);
    }

    public SlowStatements slowStatements() {
        return slow;
    }

    /** Returns the number of reports that were lost, because too many were waiting. */
    public long lost() {
        return lost.sum();
    }

    boolean isOn() {
        return slowNanos < Long.MAX_VALUE || tracer.isOn();
    }

    boolean samples(@Nullable TraceContext operation) {
        return tracer.samples(operation);
    }

    boolean isSlow(long nanos) {
        return nanos >= slowNanos;
    }

    private void report(FinishedStatement statement, StatementReport report) {
        if (statement.slow()) {
            slow.add(report);
        }
        if (statement.traced()) {
            tracer.trace(report, statement.segments(), statement.operation());
        }
    }

    /** Returns the number of spans that could not be sent to the collector. */
    public long lostSpans() {
        return tracer.lost();
    }

    void report(FinishedStatement statement) {
        try {
            reports.execute(() -> report(statement, statement.report(reader, nodes.get())));
        } catch (RejectedExecutionException e) {
            lost.increment();
        }
    }

    @Override
    public void close() {
        NamedThreads.stop(reports);
        tracer.close();
    }
}
