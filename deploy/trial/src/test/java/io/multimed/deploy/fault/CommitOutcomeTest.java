// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.fault.CuttingProxy.Direction;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.load.EngineSql;
import io.multimed.jdbc.MultimedConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that the driver reports the actual outcome of a commit after a broken connection. Connections are cut at every
 * point of a commit, and the report is compared with the master's rows.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class CommitOutcomeTest {
    private static ProxiedCluster cluster;
    private static Connection judge;
    private static int values;

    private final EngineSql speech;

    CommitOutcomeTest(String engine) {
        speech = EngineSql.of(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = new ProxiedCluster(engine);
        judge = TestModels.direct(cluster.engine("master"));
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (id %s, v int NOT NULL)"
                    .formatted(EngineSql.of(engine).identity()));
        }
    }

    @AfterParameterizedClassInvocation
    static void stop() throws Exception {
        judge.close();
        cluster.close();
    }

    /** Ways to commit one or two rows that hold a value. */
    enum Way {
        EXPLICIT {
            @Override
            int commit(Connection connection, int value, Runnable arm) throws SQLException {
                connection.setAutoCommit(false);
                insert(connection, value);
                arm.run();
                connection.commit();
                return 1;
            }
        },
        AUTO_COMMIT {
            @Override
            int commit(Connection connection, int value, Runnable arm) throws SQLException {
                connection.setAutoCommit(true);
                arm.run();
                return insert(connection, value);
            }
        },
        GENERATED_KEYS {
            @Override
            int commit(Connection connection, int value, Runnable arm) throws SQLException {
                connection.setAutoCommit(true);
                try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO t (v) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
                    insert.setInt(1, value);
                    arm.run();
                    int count = insert.executeUpdate();
                    try (ResultSet keys = insert.getGeneratedKeys()) {
                        assertThat(keys.next()).isTrue();
                        assertThat(keys.getLong(1)).isPositive();
                    }
                    return count;
                }
            }
        },
        BATCH {
            @Override
            int commit(Connection connection, int value, Runnable arm) throws SQLException {
                connection.setAutoCommit(true);
                try (PreparedStatement insert = connection.prepareStatement("INSERT INTO t (v) VALUES (?)")) {
                    for (int i = 0; i < 2; i++) {
                        insert.setInt(1, value);
                        insert.addBatch();
                    }
                    arm.run();
                    return insert.executeBatch().length;
                }
            }
        },
        BY_SQL {
            @Override
            int commit(Connection connection, int value, Runnable arm) throws SQLException {
                connection.setAutoCommit(true);
                try (Statement statement = connection.createStatement()) {
                    statement.execute("BEGIN");
                    statement.execute("INSERT INTO t (v) VALUES (" + value + ")");
                    arm.run();
                    statement.execute("COMMIT");
                    return 1;
                }
            }
        };

        /**
         * Commits rows with this value.
         *
         * @param arm called right before the request that commits
         * @return how many rows were committed
         */
        abstract int commit(Connection connection, int value, Runnable arm) throws SQLException;

        static int insert(Connection connection, int value) throws SQLException {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO t (v) VALUES (?)")) {
                insert.setInt(1, value);
                return insert.executeUpdate();
            }
        }
    }

    /** The driver's report of one commit. */
    private record Said(int value, Direction direction, long bytes, int rows, String state) {}

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldReportTheRightOutcomeIfTheConnectionToTheMiddlewareIsCut(Way way) throws Exception {
        List<Said> committed = new ArrayList<>();
        List<Said> rolledBack = new ArrayList<>();
        try (Connection connection = cluster.connectThroughProxy("outcomeTimeout=20")) {
            long session = sessionOf(connection);
            for (Direction direction : Direction.values()) {
                boolean cut = true;
                for (long bytes = 0; cut; bytes += way == Way.EXPLICIT ? 1 : 3) {
                    Said said = commitAndCut(way, connection, cluster.beforeMiddleware(), direction, bytes);
                    (said.state().isEmpty() ? committed : rolledBack).add(said);
                    cut = !cluster.beforeMiddleware().isArmed();
                }
                cluster.beforeMiddleware().disarm();
            }
            assertThat(sessionOf(connection)).as("the session").isNotEqualTo(session);
        }
        assertThat(committed)
                .isNotEmpty()
                .allSatisfy(said -> assertThat(rowsOf(said)).isEqualTo(said.rows()));
        assertThat(rolledBack).isNotEmpty().allSatisfy(said -> {
            assertThat(said.state()).isEqualTo("40001");
            assertThat(rowsOf(said)).isZero();
        });
        System.out.printf(
                "%s: %d cuts, %d committed, %d rolled back, none unknown%n",
                way, committed.size() + rolledBack.size() - 2, committed.size(), rolledBack.size());
    }

    @Test
    @Tag("exhaustive")
    void shouldReportTheRightOutcomeIfTheConnectionToTheMasterIsCut() throws Exception {
        List<Said> all = new ArrayList<>();
        try (Connection connection = cluster.connect()) {
            for (Direction direction : Direction.values()) {
                for (long bytes = 0; bytes < 240; bytes += 8) {
                    all.add(commitAndCut(Way.EXPLICIT, connection, cluster.beforeMaster(), direction, bytes));
                    cluster.beforeMaster().disarm();
                    awaitMaster();
                }
            }
        }
        assertThat(all).allSatisfy(said -> assertThat(rowsOf(said)).isEqualTo(said.rows()));
        assertThat(all).anyMatch(said -> said.state().equals("40001"));
        assertThat(all).anyMatch(said -> said.state().isEmpty());
        try (Connection copy = TestModels.direct(cluster.engine("satellite-1"))) {
            awaitEqual(copy);
        }
    }

    private static Said commitAndCut(
            Way way, Connection connection, CuttingProxy proxy, Direction direction, long bytes) {
        for (int attempt = 1; ; attempt++) {
            int value = ++values;
            AtomicBoolean armed = new AtomicBoolean();
            try {
                int rows = way.commit(connection, value, () -> {
                    armed.set(true);
                    proxy.cutAfter(direction, bytes);
                });
                return new Said(value, direction, bytes, rows, "");
            } catch (SQLException e) {
                if (armed.get()) {
                    return new Said(value, direction, bytes, 0, e.getSQLState());
                }
                // On a busy machine, a cut may take effect only after the intended commit.
                assertThat(attempt)
                        .as("attempts that fail before the commit: %s", e)
                        .isLessThan(5);
                rollBackBySql(connection);
            } finally {
                rollBack(connection);
            }
        }
    }

    private static void rollBack(Connection connection) {
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        } catch (SQLException e) {
            throw new AssertionError("the connection cannot be used any more", e);
        }
    }

    private static void rollBackBySql(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as("a rollback of what is lost already").isEqualTo("40001");
        }
    }

    private static long sessionOf(Connection connection) throws SQLException {
        return connection.unwrap(MultimedConnection.class).sessionId();
    }

    private static int rowsOf(Said said) throws SQLException {
        try (PreparedStatement query = judge.prepareStatement("SELECT count(*) FROM t WHERE v = ?")) {
            query.setInt(1, said.value());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    /** Replaces the connections of the pool that the cut has broken. */
    private static void awaitMaster() throws SQLException {
        for (int i = 0; i < 50; i++) {
            try (Connection connection = cluster.connect();
                    Statement statement = connection.createStatement()) {
                statement.executeUpdate("UPDATE t SET v = v WHERE id = 0");
                return;
            } catch (SQLException e) {
                if (i == 49) {
                    throw e;
                }
            }
        }
    }

    private static void awaitEqual(Connection copy) {
        await("the satellite has the master's rows: see its state and its lag")
                .atMost(Duration.ofSeconds(90))
                .untilAsserted(() -> assertThat(sums(copy)).isEqualTo(sums(judge)));
    }

    private static List<Long> sums(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*), sum(v), sum(id) FROM t")) {
            row.next();
            return List.of(row.getLong(1), row.getLong(2), row.getLong(3));
        }
    }

    @Test
    void shouldReportAnUnknownOutcomeAndHowToDetermineIt() throws Exception {
        int value = ++values;
        CuttingProxy proxy = cluster.beforeMiddleware();
        String message;
        try (Connection connection = cluster.connectThroughProxy("outcomeTimeout=1")) {
            connection.setAutoCommit(false);
            Way.insert(connection, value);
            proxy.cutAfter(Direction.TO_CLIENT, 0);
            proxy.refuse(true);
            SQLException unknown = catchCommit(connection);
            assertThat(unknown.getSQLState()).isEqualTo("08007");
            assertThat(connection.isClosed()).isTrue();
            message = unknown.getMessage();
        } finally {
            proxy.refuse(false);
        }
        String show = message.substring(message.indexOf("SHOW MULTIMED OUTCOME"));
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(show)) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString("outcome")).isEqualTo("COMMITTED");
            assertThat(row.getLong("scn")).isPositive();
        }
        assertThat(rowsOf(new Said(value, Direction.TO_CLIENT, 0, 1, ""))).isEqualTo(1);
    }

    private static SQLException catchCommit(Connection connection) {
        try {
            connection.commit();
        } catch (SQLException e) {
            return e;
        }
        throw new AssertionError("the commit's outcome cannot be known");
    }

    @Test
    void shouldNotLetTheRestOfALostTransactionCommit() throws Exception {
        int value = ++values;
        try (Connection connection = cluster.connectThroughProxy("")) {
            connection.setAutoCommit(false);
            Way.insert(connection, value);
            cluster.beforeMiddleware().cutAll();
            assertThatThrownBy(() -> Way.insert(connection, value))
                    .extracting("SQLState")
                    .isEqualTo("40001");
            assertThatThrownBy(() -> Way.insert(connection, value))
                    .extracting("SQLState")
                    .isEqualTo("25P02");
            assertThatThrownBy(connection::commit).extracting("SQLState").isEqualTo("40001");
            Way.insert(connection, value);
            connection.commit();
        }
        assertThat(rowsOf(new Said(value, Direction.TO_SERVER, 0, 1, ""))).isEqualTo(1);
    }

    @Test
    void shouldReportTheOutcomeBeforeAConnectionWithLostSessionStateIsClosed() throws Exception {
        int value = ++values;
        try (Connection connection = cluster.connectThroughProxy("");
                Statement statement = connection.createStatement()) {
            statement.execute(speech.setting());
            connection.setAutoCommit(false);
            Way.insert(connection, value);
            cluster.beforeMiddleware().cutAfter(Direction.TO_CLIENT, 0);
            connection.commit();
            assertThat(connection.isClosed()).isTrue();
        }
        assertThat(rowsOf(new Said(value, Direction.TO_CLIENT, 0, 1, ""))).isEqualTo(1);
    }
}
