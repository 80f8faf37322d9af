// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench;

import io.multimed.deploy.bench.workload.Workload;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Measures one database, one round at a time, with a thread and a connection for each client. A client sends the next
 * request as soon as the reply has arrived, without a think time.
 */
final class BenchRun {
    private static final long MAX_MICROS = 60_000_000L;
    private static final int SHOWN_ERRORS = 5;

    /** Factor of the first warm-up, in which the Java virtual machines of the middleware and the clients compile. */
    private static final int FIRST_WARMUP = 10;

    private final Target target;
    private final BenchOptions options;
    private final Workload workload;
    private final ConcurrentHistogram micros = new ConcurrentHistogram(MAX_MICROS, 3);
    private final List<Double> rates = new ArrayList<>();
    private final LongAdder errors = new LongAdder();

    /** The first few error messages; guarded by this list. */
    private final List<String> errorTexts = new ArrayList<>();

    private final LongAdder done = new LongAdder();
    private volatile boolean measuring;
    private volatile boolean stop;

    BenchRun(Target target, BenchOptions options) {
        this.target = target;
        this.options = options;
        this.workload = options.workload();
    }

    /** Creates the tables if necessary. Called once, before the first round. */
    void prepare() throws SQLException {
        try (Connection connection = target.connect()) {
            workload.prepare(connection);
        }
    }

    /**
     * Runs all clients for the warm-up and one measured interval. New connections in every round keep the rounds
     * independent.
     *
     * @throws SQLException if a client cannot connect: the message states how many of the clients could
     */
    void round() throws SQLException, InterruptedException {
        Start start = new Start(options.clients());
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < options.clients(); i++) {
            int client = i;
            Thread thread = new Thread(null, () -> work(client, start), "bench-" + i, 256 << 10);
            thread.setDaemon(true);
            thread.start();
            clients.add(thread);
        }
        stop = false;
        start.awaitAttempts();
        SQLException refusal = start.refusal(target);
        if (refusal == null) {
            start.begin();
            measure();
        }
        stop = true;
        start.begin();
        for (Thread client : clients) {
            client.join();
        }
        if (refusal != null) {
            throw refusal;
        }
    }

    private void measure() throws InterruptedException {
        TimeUnit.SECONDS.sleep(rates.isEmpty() ? (long) FIRST_WARMUP * options.warmup() : options.warmup());
        long before = done.sum();
        long begin = System.nanoTime();
        measuring = true;
        TimeUnit.SECONDS.sleep(options.seconds());
        measuring = false;
        rates.add((done.sum() - before) / ((System.nanoTime() - begin) / 1e9));
    }

    /** Repeats the operation until the end of the round. */
    private void work(int client, Start start) {
        try (Connection connection = connect(start)) {
            if (connection != null) {
                start.awaitBegin();
                repeat(connection, client);
            }
        } catch (SQLException e) {
            note(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable Connection connect(Start start) {
        try {
            Connection connection = target.connect();
            start.attempted(null);
            return connection;
        } catch (SQLException e) {
            start.attempted(e);
            return null;
        }
    }

    private void repeat(Connection connection, int number) throws SQLException {
        try (Workload.Client client = workload.open(connection, number)) {
            while (!stop) {
                once(client);
            }
        }
    }

    /** Runs one operation. Only successful operations count; errors appear in the result. */
    private void once(Workload.Client client) {
        long begin = System.nanoTime();
        try {
            client.execute();
            done.increment();
            if (measuring) {
                micros.recordValue(Math.min(MAX_MICROS, (System.nanoTime() - begin) / 1_000));
            }
        } catch (SQLException e) {
            note(e);
        }
    }

    private void note(SQLException failure) {
        errors.increment();
        synchronized (errorTexts) {
            if (errorTexts.size() < SHOWN_ERRORS) {
                errorTexts.add("%s (SQLState %s)".formatted(failure.getMessage(), failure.getSQLState()));
            }
        }
    }

    BenchResult result() {
        synchronized (errorTexts) {
            return new BenchResult(target, List.copyOf(rates), micros, errors.sum(), List.copyOf(errorTexts));
        }
    }
}
