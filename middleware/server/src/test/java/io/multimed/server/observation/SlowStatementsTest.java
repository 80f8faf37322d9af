// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.slf4j.LoggerFactory;

/** Slow statements are recorded with their route and their phases, and without data. */
@Tag("slow")
@Timeout(300)
class SlowStatementsTest {
    private static final String MODEL = """
            engine: %s
            listen:
              users:
              - {name: ann, password: ann, administrator: true}
              - {name: bob, password: bob}
            log: {slow-statements: 100ms}
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m}
            - {name: satellite-1, role: satellite, memory: 128m}
            """;

    private static Connection connect(TestCluster cluster, String user) throws SQLException {
        return DriverManager.getConnection(cluster.url(), user, user);
    }

    /** Returns the rows whose statement begins with a text. */
    private static List<Map<String, Object>> slow(TestCluster cluster, String begin) throws SQLException {
        List<Map<String, Object>> found = new ArrayList<>();
        try (Connection ann = connect(cluster, "ann");
                Statement statement = ann.createStatement();
                ResultSet rows = statement.executeQuery("SHOW MULTIMED SLOW STATEMENTS")) {
            while (rows.next()) {
                Map<String, Object> row = new TreeMap<>();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    row.put(rows.getMetaData().getColumnLabel(i), rows.getObject(i));
                }
                if (String.valueOf(row.get("statement")).startsWith(begin)) {
                    found.add(row);
                }
            }
        }
        return found;
    }

    private static Map<String, Object> awaitSlow(TestCluster cluster, String begin) {
        return await().atMost(Duration.ofSeconds(30))
                .until(() -> slow(cluster, begin), found -> !found.isEmpty())
                .get(0);
    }

    private static double millis(Map<String, Object> row, String column) {
        return ((Number) row.get(column)).doubleValue();
    }

    @ParameterizedTest
    @EachEngine
    void areRecordedWithRouteAndPhases(String engine) throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(SlowStatements.class);
        logger.addAppender(log);
        String sleep = engine.equals("postgresql") ? "pg_sleep" : "sleep";
        try (TestCluster cluster = TestCluster.of(MODEL.formatted(engine)).awaitOnline();
                Connection owner = connect(cluster, "ann");
                Connection bob = connect(cluster, "bob")) {
            Sql.run(owner, "CREATE TABLE t (a int PRIMARY KEY, b varchar(20))", "INSERT INTO t VALUES (1, 'secret')");
            Sql.run(owner, "GRANT ALL ON t TO bob");
            Sql.text(bob, "SELECT %s(0.2), 'secret'".formatted(sleep));
            Map<String, Object> read = awaitSlow(cluster, "SELECT " + sleep);
            assertThat(read)
                    .containsEntry("statement", "SELECT %s(?), ?".formatted(sleep))
                    .containsEntry("user", "bob")
                    .containsEntry("request", "execute")
                    .containsEntry("sqlstate", "");
            assertThat((String) read.get("address")).startsWith("127.0.0.1:");
            assertThat((String) read.get("node")).isIn("master", "satellite-1");
            assertThat((String) read.get("route")).isNotEmpty();
            assertThat(Instant.parse((String) read.get("begun"))).isBeforeOrEqualTo(Instant.now());
            assertThat(millis(read, "engine_ms")).isGreaterThanOrEqualTo(190);
            double sum = 0;
            for (String phase : List.of("classify", "freshness", "queue", "engine", "commit_group", "publish")) {
                sum += millis(read, phase + "_ms");
            }
            assertThat(sum).isBetween(millis(read, "ms") - 0.1, millis(read, "ms") + 0.1);

            waitForALock(cluster, bob);
            Map<String, Object> update = awaitSlow(cluster, "UPDATE t SET b");
            assertThat(update)
                    .containsEntry("statement", "UPDATE t SET b = ? WHERE a = ?")
                    .containsEntry("node", "master")
                    .containsEntry("route", "update");

            assertThatThrownBy(() -> Sql.text(bob, "SHOW MULTIMED SLOW STATEMENTS"))
                    .extracting("SQLState")
                    .isEqualTo("42501");
            assertThat(slow(cluster, "INSERT")).allMatch(row -> millis(row, "ms") >= 100);
            assertThat(log.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .anyMatch(line -> line.contains("a statement of bob at 127.0.0.1:")
                            && line.contains("SELECT %s(?), ?".formatted(sleep)))
                    .noneMatch(line -> line.contains("secret"));
            try (Connection ann = connect(cluster, "ann")) {
                assertThat(Sql.rows(ann, "SHOW MULTIMED METRICS"))
                        .anyMatch(row -> row.startsWith("multimed_slow_statements|phase=engine|")
                                && !row.endsWith("|0")
                                && !row.endsWith("|0.0"));
            }
        } finally {
            logger.detachAppender(log);
        }
    }

    /** Runs an update that waits for the lock of another transaction until the limit of slow statements has passed. */
    private static void waitForALock(TestCluster cluster, Connection bob) throws Exception {
        try (Connection ann = connect(cluster, "ann");
                PreparedStatement update = bob.prepareStatement("UPDATE t SET b = ? WHERE a = 1")) {
            ann.setAutoCommit(false);
            Sql.run(ann, "UPDATE t SET b = 'x' WHERE a = 1");
            update.setString(1, "secret");
            CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(() -> {
                try {
                    return update.executeUpdate();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            long begun = System.nanoTime();
            await().until(() ->
                    System.nanoTime() - begun > Duration.ofMillis(400).toNanos());
            ann.commit();
            assertThat(waiting.get()).isEqualTo(1);
        }
    }
}
