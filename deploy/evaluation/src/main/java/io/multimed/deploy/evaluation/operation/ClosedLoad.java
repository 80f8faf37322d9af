// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.operation;

import io.multimed.deploy.bench.ProcessTimes;
import io.multimed.deploy.bench.workload.Workload;
import io.multimed.deploy.evaluation.database.MeasuredDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Repeats an operation with a number of clients, each with a thread and a connection, without think times, and measures
 * rate and CPU time. The first failure ends the load.
 */
public final class ClosedLoad implements AutoCloseable {
    /** Name of the group of this process, in which the clients run. */
    public static final String CLIENTS = "clients";

    /** Name of the group of the processes of databases that have no clients, but may still work for earlier ones. */
    public static final String IDLE = "other system, idle";

    private final MeasuredDatabase database;
    private final Map<Long, String> groups = new LinkedHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final LongAdder done = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private volatile boolean stop;

    /**
     * Result of an interval.
     *
     * @param rate operations per second
     * @param operations number of operations, by which CPU times are divided; 1 if none completed
     * @param micros CPU time per operation of each group of processes, in microseconds
     * @param kernelMicros the part of this time that the clients and the first processes of the groups spend in the
     *     kernel; exact for processes without children
     * @param waitMicros time per operation for which processes of one thread waited for a core, in microseconds
     */
    public record Interval(
            double rate,
            long operations,
            Map<String, Double> micros,
            Map<String, Double> kernelMicros,
            Map<String, Double> waitMicros,
            long errors) {
        /** Returns the share of the time for which the processes of a group could run that they had a core; 0 to 1. */
        public double shareOnCore(String group) {
            double ran = micros.getOrDefault(group, 0.0);
            double wanted = ran + waitMicros.getOrDefault(group, 0.0);
            return wanted == 0 ? 1 : ran / wanted;
        }
    }

    /**
     * Starts the clients. The tables exist.
     *
     * @param running all databases that this process has started: their processes are its children, but no clients
     */
    public ClosedLoad(MeasuredDatabase database, List<MeasuredDatabase> running, Workload workload, int clients) {
        this.database = database;
        groups.put(ProcessHandle.current().pid(), CLIENTS);
        running.forEach(other -> other.processes().keySet().forEach(pid -> groups.put(pid, IDLE)));
        groups.putAll(database.processes());
        for (int i = 0; i < clients; i++) {
            int number = i;
            Thread thread = new Thread(() -> work(workload, number), "client-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
    }

    private void work(Workload workload, int number) {
        try (Connection connection = database.target().connect();
                Workload.Client client = workload.open(connection, number)) {
            while (!stop) {
                client.execute();
                done.increment();
            }
        } catch (SQLException | RuntimeException e) {
            errors.increment();
        }
    }

    /** Measures an interval. */
    public Interval measure(int seconds) throws InterruptedException {
        Map<String, Long> kernelBefore = KernelTimes.micros(groups);
        ProcessTimes before = ProcessTimes.now();
        long begin = System.nanoTime();
        long first = done.sum();
        TimeUnit.SECONDS.sleep(seconds);
        long completed = done.sum() - first;
        long operations = Math.max(1, completed);
        double took = (System.nanoTime() - begin) / 1e9;
        ProcessTimes after = ProcessTimes.now();
        return new Interval(
                completed / took,
                operations,
                perOperation(before.micros(groups), after.micros(groups), operations),
                perOperation(kernelBefore, KernelTimes.micros(groups), operations),
                perOperation(before.waitMicros(groups), after.waitMicros(groups), operations),
                errors.sum());
    }

    private static Map<String, Double> perOperation(
            Map<String, Long> before, Map<String, Long> after, long operations) {
        Map<String, Double> micros = new LinkedHashMap<>();
        after.forEach((group, time) ->
                micros.put(group, (double) (time - before.getOrDefault(group, 0L)) / operations));
        return micros;
    }

    /** Lets the clients run without measuring. */
    public void warmUp(int seconds) throws InterruptedException {
        TimeUnit.SECONDS.sleep(seconds);
    }

    /** Ends the clients, and waits for the operations in progress. */
    @Override
    public void close() {
        stop = true;
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
