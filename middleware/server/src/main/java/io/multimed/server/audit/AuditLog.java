// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.audit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records logins and changes of the running system, in a file of its own or in the log. A thread of its own writes:
 * the callers, which may be threads of the network, do not block. If the file cannot be written, or events arrive
 * faster than they can be written, the events are lost, counted, and reported in the log. Thread-safe.
 */
public final class AuditLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);
    private static final Logger AUDIT = LoggerFactory.getLogger(AuditEvent.class);

    /** Events that wait to be written. */
    private static final int WAITING = 10_000;

    private static final int BATCH = 500;
    private static final long STOP_MILLIS = 5_000;

    /** A failure is reported at most once in this time. */
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final BlockingQueue<AuditEvent> waiting = new ArrayBlockingQueue<>(WAITING);
    private final LongAdder lost = new LongAdder();
    private final @Nullable Path path;
    private final @Nullable AuditFile file;
    private final Thread thread = new Thread(this::run, "audit");

    private volatile boolean closed;

    /** The time of the last report of a failure, by {@link System#nanoTime}. Used by the writing thread only. */
    private long reported = System.nanoTime() - SILENT_NANOS;

    /** The number of lost events in the last report. Used by the writing thread only. */
    private long reportedLost;

    private AuditLog(@Nullable Path path, @Nullable AuditFile file) {
        this.path = path;
        this.file = file;
    }

    /**
     * Opens the log.
     *
     * @param path the file; null: the events are part of the log, at the level INFO
     * @throws IOException if the file cannot be used; names the key of the System Model
     */
    public static AuditLog open(@Nullable Path path) throws IOException {
        AuditLog log;
        try {
            log = new AuditLog(path, path == null ? null : new AuditFile(path));
        } catch (IOException e) {
            throw new IOException("log.audit-file: the file cannot be used: " + e.getMessage(), e);
        }
        log.thread.setDaemon(true);
        log.thread.start();
        return log;
    }

    public ClientAudit client(String user, String address, String tls) {
        return new ClientAudit(this, user, address, tls);
    }

    /** Records an event that no client has caused. */
    public void record(String kind, String outcome, String detail) {
        record(AuditEvent.ofServer(kind, outcome, detail));
    }

    void record(AuditEvent event) {
        if (!waiting.offer(event)) {
            lost.increment();
        }
    }

    /** Returns the number of events that were lost since the start. */
    public long lost() {
        return lost.sum();
    }

    private void run() {
        List<AuditEvent> batch = new ArrayList<>(BATCH);
        while (!closed || !waiting.isEmpty()) {
            batch.clear();
            try {
                AuditEvent first = waiting.poll(100, TimeUnit.MILLISECONDS);
                if (first != null) {
                    batch.add(first);
                    waiting.drainTo(batch, BATCH - 1);
                    write(batch);
                }
            } catch (IOException | RuntimeException e) {
                lost.add(batch.size());
                report(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            if (lost.sum() > reportedLost) {
                report(null);
            }
        }
    }

    private void write(List<AuditEvent> batch) throws IOException {
        AuditFile to = file;
        if (to == null) {
            batch.forEach(event -> AUDIT.info("{}", event.toJson()));
            return;
        }
        StringBuilder lines = new StringBuilder();
        batch.forEach(event -> lines.append(event.toJson()).append('\n'));
        to.write(lines.toString());
    }

    private void report(@Nullable Exception cause) {
        long now = System.nanoTime();
        if (now - reported >= SILENT_NANOS) {
            reported = now;
            reportedLost = lost.sum();
            LOG.error(
                    "{} events of the audit log are lost; they cannot be written to {}: {}",
                    reportedLost,
                    path == null ? "the log" : path,
                    cause == null ? "too many at the same time" : cause.toString(),
                    cause);
        }
    }

    /** Writes the events that wait, for a limited time. */
    @Override
    public void close() throws IOException {
        closed = true;
        try {
            thread.join(STOP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        AuditFile open = file;
        if (open != null && !thread.isAlive()) {
            open.close();
        }
    }
}
