// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.ModelException;
import io.multimed.model.SystemModel;
import io.multimed.server.Middleware;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks clients that disconnect, statements that do not end or cannot run, and masters that are unreachable or belong
 * to another middleware: each client receives a clear answer, and other clients continue.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("standbys")
class RobustnessTest {
    /** Ten to the power of ten rows to be added up. */
    private static final String ENDLESS =
            "SELECT sum(a.i) FROM ten a, ten b, ten c, ten d, ten e, ten f, ten g, ten h, ten i, ten j";

    /** Returns many rows, which no engine buffers; without the hint, MySQL would buffer most rows for the join. */
    private static final String STREAMING = ENDLESS.replace("sum(a.i)", "/*+ NO_BNL() */ a.i, repeat('x', 1000)");

    private static TestCluster cluster;

    /** The start of a second middleware, which waits ten seconds for the end of the first one while other tests run. */
    private static CompletableFuture<Throwable> second;

    private final String engine;
    private final EngineSql words;

    RobustnessTest(String engine) {
        this.engine = engine;
        words = EngineSql.of(engine, "words");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
        cluster.run(
                "CREATE TABLE t (a int PRIMARY KEY, b int NOT NULL)",
                "INSERT INTO t VALUES (1, 0)",
                "CREATE TABLE ten (i int PRIMARY KEY)",
                "INSERT INTO ten VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)");
        cluster.awaitApplied();
        SystemModel alone = alone(engine);
        second = CompletableFuture.supplyAsync(
                () -> catchThrowable(() -> Middleware.start(alone, node -> access(cluster))));
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @Test
    void shouldNameTheNodeThatRefusesTheLogin() throws Exception {
        NodeAccess right = access(cluster);
        NodeAccess wrong = right.as(right.user(), "wrong");
        assertThatThrownBy(() -> Middleware.start(alone(engine), node -> wrong))
                .isInstanceOf(SQLException.class)
                .hasMessageStartingWith("master: cannot connect to ")
                .hasMessageContaining("url, user and password of the node master in the System Model");
        NodeAccess none = right.as(right.user(), "");
        assertThatThrownBy(() -> Middleware.start(alone(engine), node -> none))
                .hasMessageContaining("as user \"%s\" without a password".formatted(right.user()));
    }

    @Test
    void shouldRollBackTheTransactionOfADisconnectedClient() throws Exception {
        Connection vanishing = cluster.connect();
        vanishing.setAutoCommit(false);
        run(vanishing, "UPDATE t SET b = 99 WHERE a = 1");
        vanishing.abort(Runnable::run);
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(180);
            assertThat(statement.executeUpdate("UPDATE t SET b = b + 1 WHERE a = 1"))
                    .isEqualTo(1);
            assertThat(text(connection, "SELECT b FROM t WHERE a = 1")).isEqualTo("1");
        }
    }

    @Test
    void shouldCancelARunningStatementAndKeepTheConnection() throws Exception {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            CompletableFuture<SQLException> canceled = CompletableFuture.supplyAsync(() -> failure(statement));
            await("the statement ends after a cancel; see the running queries on the master")
                    .atMost(Duration.ofSeconds(90))
                    .until(() -> {
                        statement.cancel();
                        return canceled.isDone();
                    });
            assertThat(canceled.get().getSQLState()).isIn((Object[])
                    words.statement("states of a canceled statement").split(" ", -1));
            statement.setFetchSize(10);
            try (ResultSet rows = statement.executeQuery(STREAMING)) {
                assertThat(rows.next()).isTrue();
                statement.cancel();
                assertThatThrownBy(() -> readOn(rows)).extracting("SQLState").isEqualTo("57014");
            }
            statement.setFetchSize(0);
            statement.setQueryTimeout(1);
            assertThat((Throwable) failure(statement)).isInstanceOf(SQLTimeoutException.class);
            statement.setQueryTimeout(0);
            assertThat(statement.execute("SELECT 1")).isTrue();
        }
    }

    private static void readOn(ResultSet rows) throws SQLException {
        while (rows.next()) {
            assertThat(rows.getInt(1)).isPositive();
        }
    }

    private static SQLException failure(Statement statement) {
        try {
            statement.execute(ENDLESS);
            return new SQLException("none");
        } catch (SQLException e) {
            return e;
        }
    }

    @Test
    void shouldNeverWriteOnASatellite() throws Exception {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            assertThat(text(connection, "SELECT count(*) FROM t")).isEqualTo("1");
            assertThat(Sql.node(connection)).isEqualTo("satellite-1");
            assertThatThrownBy(() -> statement.execute("SET TRANSACTION READ WRITE"))
                    .isInstanceOf(SQLException.class);
            connection.rollback();
            assertThatThrownBy(() -> statement.executeUpdate("INSERT INTO t VALUES (77, 1)"))
                    .extracting("SQLState")
                    .isEqualTo(words.statement("state of a change over a read-only connection"));
            connection.rollback();
        }
    }

    /** A stack overflow in Multimed or in the engine fails only the statement that caused it. */
    @ParameterizedTest
    @ValueSource(strings = {"SELECT %s1%s", "SELECT a FROM t WHERE a IN %s1%s", "UPDATE t SET b = %s1%s"})
    @Tag("exhaustive")
    void shouldSurviveAStatementThatIsNestedTooDeeply(String sql) throws Exception {
        String nested = sql.formatted("(".repeat(200_000), ")".repeat(200_000));
        try (Connection connection = cluster.connect()) {
            assertThatThrownBy(() -> run(connection, nested)).isInstanceOf(SQLException.class);
            assertThat(text(connection, "SELECT 1")).isEqualTo("1");
        }
    }

    /**
     * Each new text requires a proof that it is a pure read: clients that flood the parser with new texts delay only
     * themselves.
     */
    @Tag("exhaustive")
    @Test
    @Timeout(120)
    void shouldServeOthersWhileClientsFloodTheParser() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger flooded = new AtomicInteger();
        List<CompletableFuture<Void>> floods = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            floods.add(CompletableFuture.runAsync(() -> flood(flooded, over), task -> new Thread(task).start()));
        }
        try (Connection connection = cluster.connect()) {
            for (int i = 0; i < 8; i++) {
                assertThat(text(connection, "SELECT " + i)).isEqualTo(String.valueOf(i));
                assertThat(Sql.rows(connection, "SHOW MULTIMED STATUS")).isNotEmpty();
                run(connection, "UPDATE t SET b = b WHERE a = " + i);
            }
        } finally {
            over.set(true);
        }
        for (CompletableFuture<Void> flood : floods) {
            flood.get();
        }
        assertThat(flooded).hasPositiveValue();
    }

    /** Each text is new, and nested so deeply that a parser which tries all readings of a parenthesis takes hours. */
    private static void flood(AtomicInteger flooded, AtomicBoolean over) {
        try (Connection connection = cluster.connect()) {
            while (!over.get()) {
                int number = flooded.incrementAndGet();
                assertThat(text(connection, "SELECT " + "(".repeat(24) + number + ")".repeat(24)))
                        .isEqualTo(String.valueOf(number));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Order(Integer.MAX_VALUE)
    @Tag("exhaustive")
    void shouldRefuseASecondMiddlewareOnTheSameMaster() throws Exception {
        assertThat(second.get()).hasMessageContaining("another middleware is running on this master");
    }

    @Test
    void shouldReportTheAddressOfAnUnreachableMaster() throws Exception {
        SystemModel alone = alone(engine);
        NodeAccess nobody = new NodeAccess("master", words.statement("dead URL"), "nobody", "");
        assertThatThrownBy(() -> Middleware.start(alone, node -> nobody)).hasMessageContaining("127.0.0.1:1");
    }

    /** The master, and nothing else. */
    private static SystemModel alone(String engine) throws ModelException {
        return SystemModel.parse(
                        "database: shop%nengine: %s%nnodes:%n- {name: master, role: master}%n".formatted(engine), "m")
                .withPort(0);
    }

    private static NodeAccess access(TestCluster other) {
        var master = other.engine("master");
        return new NodeAccess("master", master.jdbcUrl(), master.user(), master.password());
    }
}
