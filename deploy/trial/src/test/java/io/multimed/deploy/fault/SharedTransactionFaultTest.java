// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.fault.CuttingProxy.Direction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Breaks connections to the master while statements of several clients share transactions. Each client must learn the
 * outcome of its own statement: a statement takes effect once, or fails without effect.
 */
@Tag("slow")
@Timeout(600)
class SharedTransactionFaultTest {
    private static final String SHARING = "multimed.test.sharing";
    private static final int CLIENTS = 6;

    /** More than a group of these clients sends, or receives. */
    private static final int BYTES = 3_000;

    private static final int STEP = 75;

    private static final String COMMITTED_WITHOUT_RESULT = "MM001";

    /** Reads the largest number of recent statements that shared a transaction. */
    private static final String TOGETHER =
            "SELECT coalesce(max(c), 0) FROM (SELECT count(*) FROM multimed.sealed GROUP BY xid) t (c)";

    private static final ExecutorService CLIENT_THREADS = Executors.newFixedThreadPool(CLIENTS);
    private static final List<Connection> CONNECTIONS = new ArrayList<>();
    private static ProxiedCluster cluster;
    private static Connection judge;

    @BeforeAll
    static void start() throws Exception {
        System.setProperty(SHARING, "always");
        try {
            cluster = new ProxiedCluster("postgresql");
        } finally {
            System.clearProperty(SHARING);
        }
        judge = TestModels.direct(cluster.engine("master"));
        for (int i = 0; i < CLIENTS; i++) {
            CONNECTIONS.add(cluster.connect());
        }
        try (Statement statement = CONNECTIONS.get(0).createStatement()) {
            statement.execute("CREATE TABLE noted (v int PRIMARY KEY)");
            statement.execute("CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL)");
            statement.execute("INSERT INTO counter VALUES (0, 0)");
        }
    }

    @AfterAll
    static void stop() throws Exception {
        CLIENT_THREADS.shutdownNow();
        judge.close();
        cluster.close();
    }

    /** The end of one statement; an empty state is a success. */
    private record End(int value, String state) {
        boolean isCommitted() {
            return state.isEmpty() || state.equals(COMMITTED_WITHOUT_RESULT);
        }
    }

    @Test
    void shouldReportToEachClientWhatHappenedToItsOwnStatement() throws Exception {
        List<End> ends = new ArrayList<>();
        int counted = 0;
        long together = 0;
        do { // on a busy machine the statements of one pass may arrive one by one
            for (Direction direction : Direction.values()) {
                for (int bytes = 0; bytes < BYTES; bytes += STEP) {
                    int first = ends.size();
                    ends.addAll(cutAfter(direction, bytes, first));
                    counted += ends.get(first).isCommitted() ? 1 : 0;
                    together = Math.max(together, number(TOGETHER));
                }
            }
        } while (together < 2);
        for (End end : ends) {
            assertThat(number("SELECT count(*) FROM noted WHERE v = " + end.value()))
                    .as("rows of %s", end)
                    .isEqualTo(end.isCommitted() && !isOfCounter(end.value()) ? 1 : 0);
        }
        assertThat(number("SELECT n FROM counter")).isEqualTo(counted);
        assertThat(ends).anyMatch(End::isCommitted).anyMatch(end -> !end.isCommitted());
        assertThat(ends).noneMatch(end -> end.state().equals("08007"));
        awaitEqual();
    }

    private static boolean isOfCounter(int value) {
        return value % CLIENTS == 0;
    }

    /** Runs one statement of each client at the same time; the first client changes another table than the others. */
    private static List<End> cutAfter(Direction direction, int bytes, int first) throws Exception {
        cluster.beforeMaster().cutAfter(direction, bytes);
        List<Callable<End>> statements = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int value = first + i;
            Connection connection = CONNECTIONS.get(i);
            statements.add(() -> new End(
                    value,
                    isOfCounter(value)
                            ? run(connection, "UPDATE counter SET n = n + ? WHERE id = 0", 1)
                            : run(connection, "INSERT INTO noted VALUES (?)", value)));
        }
        List<End> ends = new ArrayList<>();
        for (Future<End> end : CLIENT_THREADS.invokeAll(statements, 2, TimeUnit.MINUTES)) {
            ends.add(end.get());
        }
        cluster.beforeMaster().disarm();
        return ends;
    }

    /** Returns the SQLState of the failure, or an empty string. */
    private static String run(Connection connection, String sql, int value) {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, value);
            assertThat(statement.executeUpdate()).isEqualTo(1);
            return "";
        } catch (SQLException e) {
            return String.valueOf(e.getSQLState());
        }
    }

    private static long number(String query) throws SQLException {
        return number(judge, query);
    }

    private static long number(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void awaitEqual() throws SQLException {
        String sum = "SELECT (SELECT sum(v) * 1000 FROM noted) + (SELECT n FROM counter)";
        try (Connection copy = TestModels.direct(cluster.engine("satellite-1"))) {
            await("the satellite has the master's rows: see its state and its lag")
                    .atMost(Duration.ofSeconds(90))
                    .untilAsserted(() -> assertThat(number(copy, sum)).isEqualTo(number(sum)));
        }
    }
}
