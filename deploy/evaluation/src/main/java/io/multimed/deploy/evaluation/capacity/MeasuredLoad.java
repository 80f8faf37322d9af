// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.bench.ProcessTimes;
import io.multimed.tpcw.interaction.InteractionType;
import io.multimed.tpcw.schema.Scale;
import java.io.Closeable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Clients in this process that do some work on a system. Relates the CPU time of each group of processes to what the
 * clients complete. Closing ends the clients.
 */
final class MeasuredLoad implements LoadClient.Counts, Closeable {
    /** A small stack, so that many clients fit into memory. */
    private static final int STACK_BYTES = 512 << 10;

    private static final int PATIENCE_SECONDS = 60;

    private final MeasuredSystem system;
    private final Work work;
    private final Gate gate;
    private final List<Thread> threads = new ArrayList<>();
    private final LongAdder completed = new LongAdder();
    private final LongAdder updates = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final AtomicReference<@Nullable SQLException> firstError = new AtomicReference<>();

    /** The interactions that the clients had completed at a moment. */
    record Reading(long time, long completed, long updates, long nanos, long errors) {}

    /**
     * A measured interval.
     *
     * @param response mean seconds
     * @param updates part of the interactions that change the database
     * @param cpu seconds of each group for an interaction
     */
    record Round(double throughput, double response, double updates, Map<String, Double> cpu) {
        /**
         * Relates CPU times to the interactions of a round.
         *
         * @param before when the clients waited and all copies showed all changes
         * @param begin after the ramp
         * @param end when the clients stopped
         * @param after when all copies showed all changes
         * @param cpu seconds of each group from {@code before} to {@code after}
         * @throws SQLException if an interaction failed, because its CPU time cannot be told from that of the others,
         *     or if none completed
         */
        static Round of(
                Reading before,
                Reading begin,
                Reading end,
                Reading after,
                Map<String, Double> cpu,
                @Nullable SQLException cause)
                throws SQLException {
            long done = after.completed - before.completed;
            long failed = after.errors - before.errors;
            if (failed > 0) {
                throw new SQLException(
                        "%d interactions failed and %d completed in a round; CPU times that include failed interactions are no service times; the first error: %s"
                                .formatted(failed, done, cause == null ? "unknown" : cause.getMessage()),
                        "57014",
                        cause);
            }
            if (done == 0) {
                throw new SQLException("no interaction has completed within a round", "57014", cause);
            }
            Map<String, Double> each = new LinkedHashMap<>();
            cpu.forEach((group, seconds) -> each.put(group, seconds / done));
            return new Round(
                    (end.completed - begin.completed) * 1e9 / (end.time - begin.time),
                    (after.nanos - before.nanos) / 1e9 / done,
                    (double) (after.updates - before.updates) / done,
                    each);
        }

        /** Returns the CPU time of a group; 0 if the system has no such group. */
        double cpu(String group) {
            return cpu.getOrDefault(group, 0.0);
        }
    }

    /** Starts clients, which wait until they are measured or warm up. */
    MeasuredLoad(MeasuredSystem system, Work work, Scale scale, int clients) {
        this.system = system;
        this.work = work;
        this.gate = new Gate(clients);
        for (int i = 0; i < clients; i++) {
            LoadClient client = new LoadClient(system.database().target(), scale, work, i, this, gate);
            Thread thread = new Thread(null, client, "capacity-" + i, STACK_BYTES);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
    }

    /** Lets the clients work for some seconds, and waits until all copies show all changes. */
    void warm(int seconds) throws InterruptedException, SQLException {
        if (seconds > 0) {
            gate.open();
            TimeUnit.SECONDS.sleep(seconds);
            settle();
        }
    }

    private void settle() throws InterruptedException, SQLException {
        if (!gate.close(PATIENCE_SECONDS)) {
            throw new SQLException(
                    "%s: interactions do not end within %d s".formatted(work.title(), PATIENCE_SECONDS),
                    "57014",
                    firstError.get());
        }
        system.database().settle();
    }

    /**
     * Measures a round. All work that the interactions cause, also on the satellites, is between the two readings of
     * CPU times. The throughput is that of the middle of the interval, in which all clients work.
     *
     * @throws SQLException if an interaction fails, or if none completes
     */
    Round round(LoadPlan plan) throws InterruptedException, SQLException {
        settle();
        Map<Long, String> roots = system.processes();
        roots.put(ProcessHandle.current().pid(), Demands.CLIENT);
        Map<String, Long> cpu = ProcessTimes.now().micros(roots);
        Reading before = read();
        gate.open();
        TimeUnit.SECONDS.sleep(plan.ramp());
        Reading begin = read();
        TimeUnit.SECONDS.sleep(plan.seconds());
        Reading end = read();
        settle();
        Reading after = read();
        return Round.of(before, begin, end, after, since(cpu, roots), firstError.get());
    }

    private static Map<String, Double> since(Map<String, Long> before, Map<Long, String> roots) {
        Map<String, Double> seconds = new LinkedHashMap<>();
        ProcessTimes.now()
                .micros(roots)
                .forEach((group, micros) ->
                        seconds.put(group, Math.max(0, micros - before.getOrDefault(group, 0L)) / 1e6));
        return seconds;
    }

    private Reading read() {
        return new Reading(System.nanoTime(), completed.sum(), updates.sum(), nanos.sum(), errors.sum());
    }

    @Override
    public void completed(InteractionType page, long took) {
        completed.increment();
        nanos.add(took);
        if (page.writes()) {
            updates.increment();
        }
    }

    @Override
    public void failed(SQLException cause) {
        errors.increment();
        firstError.compareAndSet(null, cause);
    }

    @Override
    public void close() {
        gate.end();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        try {
            for (Thread thread : threads) {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
