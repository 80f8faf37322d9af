// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.run;

import io.multimed.tpcw.browser.EmulatedBrowser;
import io.multimed.tpcw.browser.ReportClient;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Measures one target in one or more rounds. No browser runs between rounds, so that rounds of several targets can
 * alternate; the connections of the browsers remain open until the run is closed.
 */
final class TargetRun implements AutoCloseable {
    // Period of progress reports, and the resolution of the throughput over time.
    private static final long TICK_MILLIS = 250;
    // A small stack, so that thousands of browsers fit into memory.
    private static final int STACK_BYTES = 512 << 10;
    // Time for the last interactions of all browsers to end.
    private static final long PATIENCE_SECONDS = 60;

    private final Target target;
    private final RunOptions options;
    private final RunProgress progress;
    private final KeptConnections connections;
    private final Measurements measurements = new Measurements();
    private final List<RunReport.Round> results = new ArrayList<>();
    private final List<Double> series = new ArrayList<>();
    private int rounds;

    TargetRun(Target target, RunOptions options, RunProgress progress) {
        this.target = target;
        this.connections = new KeptConnections(target);
        this.options = options;
        this.progress = progress;
    }

    /**
     * Runs a warm-up and one measured interval, with new browsers. WIPS are the interactions completed in the interval
     * divided by its actual length. Returns after the browsers have ended.
     *
     * @param listener receives the limits of the interval
     * @param number the listener's number of this target
     */
    void round(int warmupSeconds, RoundListener listener, int number) throws InterruptedException, SQLException {
        rounds++;
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch connected = new CountDownLatch(options.clients() + options.reports());
        List<Thread> browsers = start(connected, stop);
        double seconds;
        double wips;
        try {
            connected.await(PATIENCE_SECONDS, TimeUnit.SECONDS); // otherwise the others would run faster meanwhile
            watch(0, warmupSeconds);
            listener.begins(number, rounds);
            measurements.measure(true);
            long begin = System.nanoTime();
            long before = measurements.completedSoFar();
            watch(rounds, options.seconds());
            seconds = (System.nanoTime() - begin) / 1e9;
            wips = (measurements.completedSoFar() - before) / seconds;
            measurements.measure(false);
            listener.ends(number, rounds);
        } finally {
            measurements.measure(false);
            stop.countDown();
            end(browsers);
        }
        results.add(measurements.endRound(wips, seconds));
    }

    /**
     * Starts the browsers, and the clients of reports, as daemon threads. Each browser and round has its own seed, so
     * that rounds differ but runs are repeatable. They begin when all threads exist: on few cores, a thousand running
     * clients would leave this thread no time to start the others.
     *
     * @param connected counts the attempts to connect
     */
    private List<Thread> start(CountDownLatch connected, CountDownLatch stop) {
        CountDownLatch begin = new CountDownLatch(1);
        List<Thread> browsers = new ArrayList<>();
        for (int i = 0; i < options.clients(); i++) {
            long seed = options.seed() + 1_000_003L * rounds + i;
            EmulatedBrowser browser = new EmulatedBrowser(
                    new ClientConnector(i, connected),
                    options.scale(),
                    options.mix(),
                    options.pages(),
                    options.think(),
                    seed,
                    options.reads(),
                    measurements,
                    stop);
            browsers.add(start("browser-" + i, begin, browser));
        }
        for (int i = 0; i < options.reports(); i++) {
            ReportClient client =
                    new ReportClient(new ClientConnector(options.clients() + i, connected), measurements, stop);
            browsers.add(start("report-" + i, begin, client));
        }
        begin.countDown();
        return browsers;
    }

    /** Gives a client the connection of its earlier rounds. */
    private final class ClientConnector implements EmulatedBrowser.Connector {
        private final int client;
        private final CountDownLatch connected;

        ClientConnector(int client, CountDownLatch connected) {
            this.client = client;
            this.connected = connected;
        }

        @Override
        public Connection connect() throws SQLException {
            try {
                return connections.connect(client);
            } finally {
                connected.countDown();
            }
        }

        @Override
        public void release(Connection connection) throws SQLException {
            connections.release(client, connection);
        }
    }

    private static Thread start(String name, CountDownLatch begin, Runnable client) {
        Runnable body = () -> {
            try {
                begin.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            client.run();
        };
        Thread thread = new Thread(null, body, name, STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /**
     * Waits until the browsers have ended, at most 60 s altogether. A browser that hangs in its driver remains behind
     * as a daemon thread.
     */
    private static void end(List<Thread> browsers) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        for (Thread browser : browsers) {
            browser.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        }
    }

    /**
     * Waits for the given time, and reports the throughput of each tick. A measured round also records the throughput
     * for the diagram.
     *
     * @param round 0 for a warm-up
     */
    private void watch(int round, int seconds) throws InterruptedException {
        long begin = System.nanoTime();
        long end = begin + TimeUnit.SECONDS.toNanos(seconds);
        long completed = measurements.completedSoFar();
        long nanos = measurements.nanosSoFar();
        for (long now = begin, last = begin; now < end; last = now) {
            TimeUnit.NANOSECONDS.sleep(Math.min(TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS), end - now));
            now = System.nanoTime();
            long done = measurements.completedSoFar() - completed;
            long took = measurements.nanosSoFar() - nanos;
            completed += done;
            nanos += took;
            double rate = done / ((now - last) / 1e9);
            if (round > 0) {
                series.add(rate);
            }
            double fraction = Math.min(1, (now - begin) / (double) (end - begin));
            progress.running(target, round, fraction, rate, done == 0 ? 0 : took / 1e6 / done, measurements.errors());
        }
    }

    /** Returns the results of all rounds so far; response times include all measured intervals. */
    RunReport report() {
        return new RunReport(
                target,
                options,
                List.copyOf(results),
                measurements.errors(),
                measurements.retries(),
                measurements.reports(),
                measurements.latencies(),
                List.copyOf(series),
                TICK_MILLIS / 1e3,
                measurements.shownErrors());
    }

    /** Closes the connections of the browsers. */
    @Override
    public void close() {
        connections.close();
    }
}
