// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.server.audit.ClientAudit;
import io.multimed.server.dispatcher.administration.Administration;
import io.multimed.server.node.EventLog;
import io.multimed.server.node.EventLog.Severity;
import io.multimed.server.node.NamedThreads;
import io.multimed.server.propagation.replication.Drift;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the operations that administrators start on the page, on threads of its own, because they take long. At most
 * {@value #AT_ONCE} run at the same time, and the last {@value #MAX_JOBS} are remembered. Thread-safe.
 */
final class Actions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Actions.class);
    private static final int AT_ONCE = 4;
    private static final int MAX_JOBS = 20;
    private static final Duration WAIT = Duration.ofSeconds(60);

    private final Administration administration;
    private final EventLog events;
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0, AT_ONCE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), new NamedThreads("dashboard-action"));

    /** Protects the fields below; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<Long, Job> jobs = new LinkedHashMap<>();

    @GuardedBy("lock")
    private long number;

    /** What an administrator can do. */
    enum Kind {
        DRAIN,
        RESUME,
        RESEED,
        VERIFY;

        /** @throws IllegalArgumentException if there is no such operation */
        static Kind of(String name) {
            for (Kind kind : values()) {
                if (kind.lower().equals(name)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("the operations are drain, resume, reseed and verify");
        }

        String lower() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * An operation.
     *
     * @param state running, done or failed
     * @param message what has been found, or why the operation has failed; empty while it runs
     * @param ended time by {@link System#currentTimeMillis}; 0 while it runs
     */
    record Job(
            long id,
            String action,
            String satellite,
            String user,
            String state,
            String message,
            long begun,
            long ended) {
        Job after(String nextState, String nextMessage) {
            return new Job(id, action, satellite, user, nextState, nextMessage, begun, System.currentTimeMillis());
        }
    }

    Actions(Administration administration, EventLog events) {
        this.administration = administration;
        this.events = events;
    }

    /**
     * Starts an operation, and returns it.
     *
     * @param satellite empty for all satellites, which only VERIFY permits
     * @param force permits an operation on the last satellite that is online, and lets RESEED abort transactions
     * @param audit records the operation
     * @throws IllegalArgumentException if the satellite is missing
     * @throws RejectedExecutionException if too many operations run
     */
    Job start(Kind kind, String satellite, boolean force, String user, ClientAudit audit) {
        if (satellite.isEmpty() && kind != Kind.VERIFY) {
            throw new IllegalArgumentException("name the satellite");
        }
        Job job = add(kind, satellite, user);
        try {
            threads.execute(() -> run(job, kind, force, audit));
        } catch (RejectedExecutionException e) {
            replace(job.after("failed", "%d operations are already running; try again later".formatted(AT_ONCE)));
            throw e;
        }
        LOG.info("dashboard: {} starts {} of {}", actor(user), kind.lower(), named(satellite));
        events.add(
                Severity.INFO,
                subject(job),
                "%s starts %s%s".formatted(actor(user), kind.lower(), force ? " by force" : ""));
        return job;
    }

    private Job add(Kind kind, String satellite, String user) {
        lock.lock();
        try {
            Job job = new Job(++number, kind.lower(), satellite, user, "running", "", System.currentTimeMillis(), 0);
            jobs.put(job.id, job);
            if (jobs.size() > MAX_JOBS) {
                jobs.remove(jobs.keySet().iterator().next());
            }
            return job;
        } finally {
            lock.unlock();
        }
    }

    private void replace(Job job) {
        lock.lock();
        try {
            jobs.replace(job.id, job);
        } finally {
            lock.unlock();
        }
    }

    private void run(Job job, Kind kind, boolean force, ClientAudit audit) {
        String detail = "dashboard: %s %s%s".formatted(job.action, named(job.satellite), force ? " by force" : "");
        audit.record("statement", "begun", detail);
        Job ended;
        try {
            ended = job.after("done", perform(kind, job.satellite, force));
        } catch (SQLException e) {
            ended = job.after("failed", String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.error("{} of {} failed", job.action, named(job.satellite), e);
            ended = job.after("failed", "internal error: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            ended = job.after("failed", "the middleware is stopping");
        }
        replace(ended);
        audit.record("statement", ended.state, detail);
        boolean failed = ended.state.equals("failed");
        events.add(
                failed ? Severity.WARNING : Severity.INFO, subject(job), "%s: %s".formatted(job.action, ended.message));
    }

    private String perform(Kind kind, String satellite, boolean force) throws SQLException, InterruptedException {
        Administration.DrainOptions options = new Administration.DrainOptions(WAIT, force);
        switch (kind) {
            case DRAIN -> administration.drain(satellite, options);
            case RESUME -> administration.resume(satellite);
            case RESEED -> administration.reseed(satellite, options);
            case VERIFY -> {
                return summary(
                        administration.verify(satellite.isEmpty() ? Optional.empty() : Optional.of(satellite), false));
            }
        }
        return kind == Kind.RESEED ? "copying has begun" : "done";
    }

    /** Names tables and outcomes only: the keys of rows are data of users. */
    private static String summary(List<Drift> found) {
        List<Drift> bad = found.stream().filter(Drift::isBad).toList();
        if (bad.isEmpty()) {
            List<Drift> equal = found.stream()
                    .filter(each -> each.outcome() == Drift.Outcome.EQUAL)
                    .toList();
            return "%d rows in %d tables are equal"
                    .formatted(equal.stream().mapToLong(Drift::rows).sum(), equal.size());
        }
        return "not equal to the master: "
                + bad.stream()
                        .map(each -> "%s %s %s".formatted(each.satellite(), each.table(), each.outcome()))
                        .distinct()
                        .limit(5)
                        .collect(Collectors.joining("; "));
    }

    /** Without users, every client is an administrator. */
    private static String actor(String user) {
        return user.isEmpty() ? "a local user" : user;
    }

    private static String named(String name) {
        return name.isEmpty() ? "all" : name;
    }

    private static String subject(Job job) {
        return job.satellite.isEmpty() ? "satellites" : job.satellite;
    }

    /** Returns the operations, the last one first. */
    List<Job> latest() {
        lock.lock();
        try {
            List<Job> all = new ArrayList<>(jobs.values());
            Collections.reverse(all);
            return all;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
