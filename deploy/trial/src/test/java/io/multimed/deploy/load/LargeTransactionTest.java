// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.fault.MiddlewareProcess;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.Series;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Tests a transaction that is larger than the middleware's whole memory, while other transactions commit. For 700,000
 * rows: {@code .ci/test deploy/trial LargeTransactionTest -Dmultimed.test.rows=700000 -Dmultimed.test.heap=512m
 * -Dmultimed.test.patience-minutes=15 -Djunit.jupiter.execution.timeout.mode=disabled}.
 */
@Tag("exhaustive")
@Timeout(600)
@ParameterizedClass
@EachEngine
class LargeTransactionTest {
    private static final int ROWS = Integer.getInteger("multimed.test.rows", 20_000);
    /** Pause of the other client after each commit, because the large transaction needs the processors as well. */
    private static final long PAUSE_MILLIS = 10;

    private static final String HEAP = System.getProperty("multimed.test.heap", "64m");

    @TempDir
    private Path folder;

    private final ExternalEngines engines;
    private final EngineSql speech;
    private final AtomicBoolean stop = new AtomicBoolean();

    LargeTransactionTest(String engine) {
        engines = new ExternalEngines(engine);
        speech = EngineSql.of(engine);
    }

    @AfterEach
    void stopEngines() {
        engines.close();
    }

    @Test
    void shouldReplicateATransactionLargerThanItsMemoryWhileOthersCommit() throws Exception {
        try (MiddlewareProcess middleware = new MiddlewareProcess(
                engines.model(folder), folder.resolve("output"), List.of("-Xmx" + HEAP, "-XX:TieredStopAtLevel=1"))) {
            middleware.start();
            middleware.awaitSatellites();
            engines.run(
                    "CREATE TABLE small (id int PRIMARY KEY, n int)",
                    "INSERT INTO small VALUES (1, 0)",
                    "CREATE TABLE bulk (id int PRIMARY KEY, name text, amount numeric(12, 2), at timestamp(6) NULL)");
            CompletableFuture<Histogram> others = CompletableFuture.supplyAsync(this::commitUntilStopped);
            long begin = System.nanoTime();
            engines.run("INSERT INTO bulk SELECT i, repeat(concat('name ', i), 100), i / 7.0, %s FROM %s"
                    .formatted(speech.clock(), Series.to(ROWS)));
            report("insert", begin);
            engines.awaitApplied();
            report("insert applied", begin);
            begin = System.nanoTime();
            engines.run("UPDATE bulk SET amount = amount + %s, at = %s".formatted(speech.random(), speech.clock()));
            report("update", begin);
            engines.awaitApplied();
            report("update applied", begin);
            stop.set(true);
            report(others.get(), middleware.pid());
            engines.assertSame("bulk");
            engines.assertSame("small");
            assertThat(middleware.printed()).doesNotContain("OFFLINE", "OutOfMemoryError");
        }
    }

    private Histogram commitUntilStopped() {
        Histogram latencies = new Histogram(3);
        try (Connection connection = engines.connect();
                Statement statement = connection.createStatement()) {
            while (!stop.get()) {
                long begin = System.nanoTime();
                statement.executeUpdate("UPDATE small SET n = n + 1");
                latencies.recordValue((System.nanoTime() - begin) / 1_000);
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException("another client's commit failed", e);
        }
        return latencies;
    }

    private static void report(String what, long begin) {
        System.out.printf("%s of %,d rows after %.1f s%n", what, ROWS, (System.nanoTime() - begin) / 1e9);
    }

    private static void report(Histogram latencies, long pid) throws IOException {
        assertThat(latencies.getTotalCount()).isPositive();
        System.out.printf(
                "%d other commits meanwhile: median %.1f ms, 99%% %.1f ms, longest %.1f ms; heap %s, middleware's largest memory: %s%n",
                latencies.getTotalCount(),
                latencies.getValueAtPercentile(50) / 1e3,
                latencies.getValueAtPercentile(99) / 1e3,
                latencies.getMaxValue() / 1e3,
                HEAP,
                ExternalEngines.largestMemory(pid));
    }
}
