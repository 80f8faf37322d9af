// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.fault.MiddlewareProcess;
import io.multimed.deploy.launcher.EachEngine;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Tests results that are larger than the memory of client and middleware together, while another client has stopped
 * reading its result, and a third one commits. To run the test with 2 GB for each result: {@code .ci/test
 * deploy/trial StreamTest -Dmultimed.test.stream-mb=2048 -Djunit.jupiter.execution.timeout.mode=disabled}.
 */
@Tag("exhaustive")
@Timeout(600)
@ParameterizedClass
@EachEngine
class StreamTest {
    private static final int MEGABYTES = Integer.getInteger("multimed.test.stream-mb", 70);
    private static final String CLIENT_HEAP = "-Xmx64m";
    private static final String MIDDLEWARE_HEAP = "-Xmx256m";

    @TempDir
    private Path folder;

    private final String engine;
    private final ExternalEngines engines;
    private final AtomicBoolean stop = new AtomicBoolean();

    StreamTest(String engine) {
        this.engine = engine;
        engines = new ExternalEngines(engine);
    }

    @AfterEach
    void stopEngines() {
        engines.close();
    }

    @Test
    void shouldStreamMoreThanFitsInMemoryInAndOutOfAutoCommitFromEveryNode() throws Exception {
        try (MiddlewareProcess middleware = new MiddlewareProcess(
                engines.model(folder), folder.resolve("output"), List.of(MIDDLEWARE_HEAP, "-XX:TieredStopAtLevel=1"))) {
            middleware.start();
            middleware.awaitSatellites();
            engines.run("CREATE TABLE other (id int PRIMARY KEY, n int)", "INSERT INTO other VALUES (1, 0)");
            CompletableFuture<Integer> commits = CompletableFuture.supplyAsync(this::commitUntilStopped);
            try (Connection slow = engines.connect();
                    Statement statement = slow.createStatement()) {
                statement.setFetchSize(StreamingClient.FETCHED);
                ResultSet unread = statement.executeQuery(StreamingClient.query(engine, MEGABYTES, false));
                assertThat(unread.next()).isTrue();
                for (String node : List.of("master", "satellite")) {
                    for (boolean autoCommit : List.of(true, false)) {
                        stream(node, autoCommit);
                    }
                }
                assertThat(unread.next()).isTrue();
            }
            stop.set(true);
            assertThat(commits.get()).isPositive();
            assertThat(middleware.printed()).doesNotContain("OutOfMemoryError", "OFFLINE");
            System.out.printf(
                    "%d commits meanwhile; middleware %s, largest memory %s%n",
                    commits.get(), MIDDLEWARE_HEAP, ExternalEngines.largestMemory(middleware.pid()));
        }
    }

    private void stream(String node, boolean autoCommit) throws Exception {
        Process client = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        CLIENT_HEAP,
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StreamingClient.class.getName(),
                        engines.url(),
                        engine,
                        node,
                        String.valueOf(autoCommit),
                        String.valueOf(MEGABYTES))
                .redirectErrorStream(true)
                .start();
        try {
            String said = new String(client.getInputStream().readAllBytes(), UTF_8);
            assertThat(client.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(client.exitValue()).as(said).isZero();
            System.out.print(said);
        } finally {
            client.destroyForcibly();
        }
    }

    private int commitUntilStopped() {
        int count = 0;
        try (Connection connection = engines.connect();
                Statement statement = connection.createStatement()) {
            while (!stop.get()) {
                statement.executeUpdate("UPDATE other SET n = n + 1");
                count++;
            }
        } catch (SQLException e) {
            throw new IllegalStateException("another client's commit failed", e);
        }
        return count;
    }
}
