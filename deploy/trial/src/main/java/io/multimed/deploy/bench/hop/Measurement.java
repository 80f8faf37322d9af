// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import io.multimed.deploy.bench.ProcessTimes;
import io.multimed.deploy.bench.workload.Workload;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/**
 * One measurement: each thread lets its clients run the operation in turn, the next one as soon as the reply has
 * arrived. Every client has run the operation once before the warm-up begins.
 */
final class Measurement {
    private static final long MAX_NANOS = 120_000_000_000L;

    /** Maximum time without any completed operation, and for the end of the last operations. */
    private static final long PATIENCE_SECONDS = 30;

    private final OpenClients clients;
    private final Workload workload;
    private final Map<Long, String> roots;
    private final Errors errors = new Errors();
    private final LongAdder progress = new LongAdder();
    private final CountDownLatch ready;
    private final CountDownLatch ended;
    private volatile boolean measuring;
    private volatile boolean stop;

    /** @param roots first processes of the groups whose CPU time is measured */
    Measurement(OpenClients clients, Workload workload, Map<Long, String> roots) {
        this.clients = clients;
        this.workload = workload;
        this.roots = roots;
        this.ready = new CountDownLatch(clients.shares().size());
        this.ended = new CountDownLatch(clients.shares().size());
    }

    Sample run(double warmup, double seconds) throws InterruptedException {
        List<Worker> workers = new ArrayList<>();
        int first = 0;
        for (List<Connection> share : clients.shares()) {
            Worker worker = new Worker(share, first);
            first += share.size();
            workers.add(worker);
            OpenClients.daemon("hop-" + workers.size(), worker);
        }
        boolean answered = await(ready);
        CpuReading before = CpuReading.NONE;
        CpuReading after = CpuReading.NONE;
        long nanos = 1;
        if (answered) {
            sleep(warmup);
            before = CpuReading.of(roots, progress);
            long begin = System.nanoTime();
            measuring = true;
            sleep(seconds);
            measuring = false;
            nanos = System.nanoTime() - begin;
            after = CpuReading.of(roots, progress);
        }
        stop = true;
        if (!await(ended)) {
            errors.add("no reply for %d s".formatted(PATIENCE_SECONDS));
            clients.abort();
            ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        Histogram all = new Histogram(MAX_NANOS, 3);
        workers.forEach(worker -> all.add(worker.nanos));
        return new Sample(
                nanos / 1e9,
                all,
                errors.count(),
                errors.texts(),
                after.micros(before),
                after.operations - before.operations);
    }

    /** CPU times of the groups, and the number of completed operations when they were read. */
    private record CpuReading(Map<String, Long> micros, long operations) {
        static final CpuReading NONE = new CpuReading(Map.of(), 0);

        static CpuReading of(Map<Long, String> roots, LongAdder progress) {
            return ProcessTimes.isSupported()
                    ? new CpuReading(ProcessTimes.now().micros(roots), progress.sum())
                    : NONE;
        }

        /** Returns the time of each group since another reading. */
        Map<String, Long> micros(CpuReading before) {
            Map<String, Long> difference = new LinkedHashMap<>();
            micros.forEach((group, time) ->
                    difference.put(group, Math.max(0, time - before.micros.getOrDefault(group, 0L))));
            return difference;
        }
    }

    private static void sleep(double seconds) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
    }

    /** Returns whether all threads got there; false if no operation completed for a while. */
    private boolean await(CountDownLatch latch) throws InterruptedException {
        long before = -1;
        while (!latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            if (progress.sum() == before) {
                return false;
            }
            before = progress.sum();
        }
        return true;
    }

    /** One thread and its clients. The histogram may be read after the end of the thread. */
    private final class Worker implements Runnable {
        private final List<Connection> share;
        private final int first;
        private final Histogram nanos = new Histogram(MAX_NANOS, 3);
        private final List<Workload.Client> open = new ArrayList<>();

        Worker(List<Connection> share, int first) {
            this.share = share;
            this.first = first;
        }

        @Override
        public void run() {
            try {
                open();
                open.removeIf(client -> !isUsableAfter(client));
            } finally {
                ready.countDown();
            }
            try {
                while (!stop && !open.isEmpty()) {
                    open.removeIf(client -> !stop && !isUsableAfter(client));
                }
                close();
            } finally {
                ended.countDown();
            }
        }

        /** Prepares the operation for each client. A client that fails does not take part. */
        private void open() {
            for (int i = 0; i < share.size(); i++) {
                try {
                    open.add(workload.open(share.get(i), first + i));
                } catch (SQLException e) {
                    errors.add(e);
                }
                progress.increment();
            }
        }

        /** Runs the operation, and returns whether the client can run it again. */
        private boolean isUsableAfter(Workload.Client client) {
            long begin = System.nanoTime();
            try {
                client.execute();
                long time = System.nanoTime() - begin;
                if (measuring) {
                    nanos.recordValue(Math.min(MAX_NANOS, time));
                }
                return true;
            } catch (SQLException e) {
                errors.add(e);
                return !String.valueOf(e.getSQLState()).startsWith("08");
            } finally {
                progress.increment();
            }
        }

        private void close() {
            for (Workload.Client client : open) {
                try {
                    client.close();
                } catch (SQLException e) {
                    errors.add(e);
                }
                progress.increment();
            }
        }
    }
}
