package io.multimed.middleware;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.jdbc.MultimedConnection;
import io.multimed.middleware.propagation.CommitCounts;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Single statements that run, seal and commit inside a commit group, in one round trip. */
@Timeout(600)
class SwiftUpdateTest {
    private static final String ADD = "UPDATE account SET balance = balance + ? WHERE id = ?";
    private static final int ENOUGH_TO_BE_SWIFT = 40;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites(1).awaitOnline();
        cluster.run(
                "CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL)",
                "CREATE TABLE parent (id int PRIMARY KEY)",
                "CREATE TABLE child (id int PRIMARY KEY,"
                        + " parent int REFERENCES parent DEFERRABLE INITIALLY DEFERRED)",
                "INSERT INTO parent VALUES (1)",
                "INSERT INTO account SELECT g, 0 FROM generate_series(0, 999) g");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static int add(Connection connection, int amount, int id) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(ADD)) {
            update.setInt(1, amount);
            update.setInt(2, id);
            return update.executeUpdate();
        }
    }

    private static void becomeSwift(Connection connection) throws SQLException {
        for (int i = 0; i < ENOUGH_TO_BE_SWIFT; i++) {
            add(connection, 1, 0);
        }
    }

    private static long sessionsThatRanSwiftly() throws SQLException {
        return number(
                cluster.direct("master"),
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%rows::varchar%' AND pid <> pg_backend_pid()");
    }

    private static long number(Connection connection, String query) throws SQLException {
        try (connection;
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static long onSatellite(String query) throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setReadOnly(true);
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(query)) {
                row.next();
                assertThat(connection.unwrap(MultimedConnection.class).lastNode())
                        .startsWith("satellite");
                return row.getLong(1);
            }
        }
    }

    @Test
    void shouldRunInOneRoundTripOnceItIsKnownToBeFast() throws Exception {
        try (Connection connection = cluster.connect()) {
            becomeSwift(connection);
            assertThat(sessionsThatRanSwiftly()).isPositive();
            assertThat(add(connection, 1, 5_000)).isZero();
            assertThat(add(connection, 7, 1)).isEqualTo(1);
            assertThat(onSatellite("SELECT balance FROM account WHERE id = 1")).isEqualTo(7);
        }
    }

    /** What does not fit into one row of the log is read in pieces. */
    @Test
    void shouldCarryRowsOfAnySize() throws Exception {
        cluster.run("CREATE TABLE page (id int PRIMARY KEY, body text NOT NULL)");
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO page VALUES (?, ?)")) {
            int id = 0;
            for (int length : new int[] {1, 3_000, 5_000, 100_000, 6_000_000}) {
                for (int i = 0; i < ENOUGH_TO_BE_SWIFT; i++) {
                    insert.setInt(1, ++id);
                    insert.setString(2, "x");
                    insert.executeUpdate();
                }
                insert.setInt(1, ++id);
                insert.setString(2, "y".repeat(length));
                assertThat(insert.executeUpdate()).isEqualTo(1);
                assertThat(onSatellite("SELECT length(body) FROM page WHERE id = " + id))
                        .isEqualTo(length);
            }
            assertThat(sessionsThatRanSwiftly()).isPositive();
        }
    }

    @Test
    void shouldUndoTheStatementWhenItsSealingFails() throws Exception {
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO child VALUES (?, ?)")) {
            for (int id = 1; id <= ENOUGH_TO_BE_SWIFT; id++) {
                insert.setInt(1, id);
                insert.setInt(2, 1);
                insert.executeUpdate();
            }
            insert.setInt(1, -1);
            insert.setInt(2, 999); // found out when deferred constraints are checked, by the seal
            assertThatThrownBy(insert::executeUpdate).extracting("SQLState").isEqualTo("23503");
            insert.setInt(1, -2);
            insert.setInt(2, 1);
            assertThat(insert.executeUpdate()).isEqualTo(1);
            String ids = "SELECT sum(id) FROM child WHERE id < 0";
            assertThat(onSatellite(ids)).isEqualTo(-2);
            assertThat(number(cluster.direct("master"), ids)).isEqualTo(-2);
        }
    }

    @Test
    void shouldNotHoldUpOthersWhenItWaitsForALock() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (Connection holder = cluster.connect();
                Connection waiter = cluster.connect();
                Connection other = cluster.connect()) {
            becomeSwift(waiter);
            holder.setAutoCommit(false);
            add(holder, 100, 2);
            Future<Integer> waiting = threads.submit(() -> add(waiter, 10, 2));
            await().atMost(Duration.ofMinutes(3))
                    .until(() -> number(
                                    cluster.direct("master"),
                                    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
                            == 1);
            for (int i = 0; i < 20; i++) {
                assertThat(threads.submit(() -> add(other, 1, 3)).get(180, TimeUnit.SECONDS))
                        .isEqualTo(1);
            }
            assertThat(waiting.isDone()).isFalse();
            holder.commit();
            assertThat(waiting.get(180, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(onSatellite("SELECT balance FROM account WHERE id = 2")).isEqualTo(110);
            assertThat(onSatellite("SELECT balance FROM account WHERE id = 3")).isEqualTo(20);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void shouldApplyConcurrentUpdatesOfOneRowInTheOrderOfTheMaster() throws Exception {
        inParallel(16, client -> {
            try (Connection connection = cluster.connect()) {
                for (int i = 0; i < 50; i++) {
                    assertThat(add(connection, 1, 4)).isEqualTo(1);
                }
            }
        });
        assertThat(onSatellite("SELECT balance FROM account WHERE id = 4")).isEqualTo(800);
    }

    @Test
    void shouldCommitManyClientsTogether() throws Exception {
        CommitCounts before = cluster.middleware().commitCounts();
        inParallel(64, client -> {
            try (Connection connection = cluster.connect()) {
                for (int i = 0; i < 40; i++) {
                    add(connection, 1, 100 + client);
                }
            }
        });
        CommitCounts counts = cluster.middleware().commitCounts().since(before);
        assertThat(counts.commits()).isEqualTo(64 * 40);
        assertThat(counts.groups()).isLessThan(counts.commits() / 2);
        assertThat(onSatellite("SELECT sum(balance) FROM account WHERE id BETWEEN 100 AND 163"))
                .isEqualTo(64 * 40);
    }

    private interface Client {
        void run(int client) throws Exception;
    }

    private static void inParallel(int clients, Client work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                int client = i;
                done.add(threads.submit(() -> {
                    work.run(client);
                    return null;
                }));
            }
            for (Future<?> one : done) {
                one.get(180, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
