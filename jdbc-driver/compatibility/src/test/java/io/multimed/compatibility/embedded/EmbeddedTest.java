// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.jdbc.MultimedDataSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The dispatcher within the application, before a primary and a standby that run already. */
@Tag("slow")
@Timeout(300)
class EmbeddedTest {
    private static PrimaryAndStandby engines;
    private static RunningEngine primary;
    private static RunningEngine standby;
    private static Path model;

    private Connection connection;
    private Statement statement;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        engines = new PrimaryAndStandby(folder, "");
        primary = engines.primary();
        standby = engines.standby();
        model = engines.model();
    }

    @AfterAll
    static void stop() {
        engines.close();
    }

    private static Connection connect() throws SQLException {
        return engines.connect();
    }

    @BeforeEach
    void open() throws SQLException {
        connection = connect();
        statement = connection.createStatement();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    private static int number(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getInt(1);
        }
    }

    /** A result that needs memory of the budget: the application notices the interrupt afterwards. */
    @Test
    void shouldNotLoseAResultByAnInterrupt() throws SQLException {
        connection.setAutoCommit(false);
        statement.executeUpdate("UPDATE item SET v = v + 1 WHERE id = 70");
        Thread caller = Thread.currentThread();
        Thread interrupter = new Thread(() -> {
            await().until(() -> sleepers() > 0);
            caller.interrupt();
        });
        interrupter.start();
        try (ResultSet row = statement.executeQuery("SELECT pg_sleep(1), repeat('x', 6000000)")) {
            row.next();
            assertThat(row.getString(2)).hasSize(6_000_000);
        }
        assertThat(Thread.interrupted()).isTrue();
        connection.commit();
    }

    /** The deep stack is that of the application; its own request fails, and the calls end. */
    @Test
    void shouldEndARequestWithoutAStack() throws Exception {
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        Thread deep = new Thread(
                null,
                () -> {
                    try (Connection own = connect();
                            PreparedStatement read = own.prepareStatement("SELECT v FROM item WHERE id = 1")) {
                        descend(read);
                    } catch (SQLException e) {
                        // its connection is closed
                    }
                    ended.complete(true);
                },
                "deep",
                400_000);
        deep.setDaemon(true);
        deep.start();
        assertThat(ended).succeedsWithin(Duration.ofSeconds(60));
        await("another connection works, maybe of the next dispatcher")
                .atMost(Duration.ofSeconds(60))
                .until(() -> {
                    try (Connection other = connect();
                            Statement question = other.createStatement()) {
                        return number(question, "SELECT count(*) FROM item") == 100;
                    } catch (SQLException e) {
                        return false;
                    }
                });
    }

    /** Reads at each depth until the stack is full. */
    private static void descend(PreparedStatement read) throws SQLException {
        try {
            read.executeQuery().close();
            descend(read);
        } catch (StackOverflowError e) {
            read.getConnection().close();
        }
    }

    /** By the property of a bean, as pools and application servers set it. */
    @Test
    void shouldServeAPool() throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setDataSourceClassName(MultimedDataSource.class.getName());
        config.addDataSourceProperty("model", model.toString());
        config.setMaximumPoolSize(2);
        try (HikariDataSource pool = new HikariDataSource(config);
                Connection pooled = pool.getConnection();
                Statement question = pooled.createStatement()) {
            assertThat(number(question, "SELECT count(*) FROM item")).isEqualTo(100);
            assertThat(pooled.getMetaData().getURL()).isEqualTo("jdbc:multimed:embedded:" + model);
        }
    }

    @Test
    void shouldSeeItsOwnCommitsAtOnce() throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE item SET v = v + 1 WHERE id = ?")) {
            update.setInt(1, 1);
            for (int i = 1; i <= 200; i++) {
                assertThat(update.executeUpdate()).isEqualTo(1);
                assertThat(number(statement, "SELECT v FROM item WHERE id = 1")).isEqualTo(i);
            }
        }
    }

    @Test
    void shouldReadOnTheStandby() throws SQLException {
        MultimedConnection multimed = connection.unwrap(MultimedConnection.class);
        await("the standby is online").until(() -> {
            number(statement, "SELECT count(*) FROM item");
            return multimed.lastNode().equals("replica");
        });
    }

    @Test
    void shouldRollBackAndReportTheErrorsOfTheEngine() throws SQLException {
        connection.setAutoCommit(false);
        assertThat(statement.executeUpdate("UPDATE item SET v = 77 WHERE id = 2"))
                .isEqualTo(1);
        SQLException failure = catchThrowableOfType(
                SQLException.class, () -> statement.executeUpdate("INSERT INTO item VALUES (3, 1)"));
        assertThat(failure.getSQLState()).isEqualTo("23505");
        connection.rollback();
        assertThat(number(statement, "SELECT v FROM item WHERE id = 2")).isZero();
        connection.commit();
    }

    /** The callers commit for each other, and none keeps on working for the others. */
    @Test
    void shouldCommitForManyThreads() throws Exception {
        int before = number(statement, "SELECT v FROM item WHERE id = 10");
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            boolean inTransaction = i % 2 == 0;
            clients.add(CompletableFuture.runAsync(() -> increment(100, inTransaction), work -> {
                Thread thread = new Thread(work);
                thread.setDaemon(true);
                thread.start();
            }));
        }
        assertThat(CompletableFuture.allOf(clients.toArray(new CompletableFuture<?>[0])))
                .succeedsWithin(Duration.ofSeconds(120));
        assertThat(number(statement, "SELECT v FROM item WHERE id = 10") - before)
                .isEqualTo(1_600);
    }

    private static void increment(int times, boolean inTransaction) {
        try (Connection own = connect();
                PreparedStatement update = own.prepareStatement("UPDATE item SET v = v + 1 WHERE id = ?")) {
            own.setAutoCommit(!inTransaction);
            for (int i = 0; i < times; i++) {
                update.setInt(1, 10);
                update.executeUpdate();
                if (inTransaction) {
                    own.commit();
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldCancelFromAnotherThread() throws Exception {
        CompletableFuture<SQLException> failure = sleeping();
        await("the statement runs").until(() -> sleepers() > 0);
        statement.cancel();
        assertThat(failure.get(30, TimeUnit.SECONDS).getSQLState()).isEqualTo("57014");
        assertThat(number(statement, "SELECT 1")).isEqualTo(1);
    }

    @Test
    void shouldObserveTheTimeoutOfAStatement() throws SQLException {
        statement.setQueryTimeout(1);
        SQLException failure = catchThrowableOfType(SQLException.class, () -> statement.execute("SELECT pg_sleep(60)"));
        assertThat(failure.getSQLState()).isEqualTo("57014");
    }

    @Test
    void shouldObserveTheNetworkTimeout() throws SQLException {
        connection.setNetworkTimeout(Runnable::run, 500);
        SQLException failure = catchThrowableOfType(SQLException.class, () -> statement.execute("SELECT pg_sleep(60)"));
        assertThat(failure.getSQLState()).startsWith("08");
        assertThat(connection.isClosed()).isTrue();
        await("the statement is canceled").until(() -> sleepers() == 0);
    }

    @Test
    void shouldAbortARunningStatement() throws Exception {
        CompletableFuture<SQLException> failure = sleeping();
        await("the statement runs").until(() -> sleepers() > 0);
        connection.abort(Runnable::run);
        assertThat(failure.get(30, TimeUnit.SECONDS).getSQLState()).startsWith("08");
        await("the statement is canceled").until(() -> sleepers() == 0);
    }

    /** As over a socket, an interrupt ends no wait for an answer, and is not lost. */
    @Test
    void shouldPreserveAnInterrupt() throws Exception {
        CompletableFuture<Boolean> wasInterrupted = new CompletableFuture<>();
        Thread client = new Thread(() -> {
            try (Statement own = connection.createStatement()) {
                own.execute("SELECT pg_sleep(1)");
                wasInterrupted.complete(Thread.currentThread().isInterrupted());
            } catch (SQLException e) {
                wasInterrupted.completeExceptionally(e);
            }
        });
        client.start();
        await("the statement runs").until(() -> sleepers() > 0);
        client.interrupt();
        assertThat(wasInterrupted.get(30, TimeUnit.SECONDS)).isTrue();
    }

    private CompletableFuture<SQLException> sleeping() {
        CompletableFuture<SQLException> failure = new CompletableFuture<>();
        new Thread(() -> failure.complete(
                        catchThrowableOfType(SQLException.class, () -> statement.execute("SELECT pg_sleep(60)"))))
                .start();
        return failure;
    }

    private static int sleepers() throws SQLException {
        int found = 0;
        for (RunningEngine engine : List.of(primary, standby)) {
            try (Connection direct = DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
                    Statement question = direct.createStatement()) {
                found += number(
                        question,
                        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid()");
            }
        }
        return found;
    }

    /** The dispatcher stops after the last connection, and leaves no thread; the next connection starts another one. */
    @Test
    void shouldStopAfterTheLastConnection() throws SQLException {
        connection.close();
        await("no thread of the dispatcher is left")
                .atMost(Duration.ofSeconds(60))
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("primary-")
                                || thread.getName().startsWith("replica-")
                                || thread.getName().startsWith("publisher")));
        try (Connection again = connect();
                Statement next = again.createStatement()) {
            assertThat(number(next, "SELECT count(*) FROM item")).isEqualTo(100);
        }
    }

    /**
     * As after another middleware has taken the master over: the driver asks for the outcome in another session, and
     * that starts the dispatcher again.
     */
    @Test
    void shouldGoOnAfterTheDispatcherHasFailed(@TempDir Path folder) throws Exception {
        Path other = Files.writeString(folder.resolve("other.yaml"), "receipts: on\n" + Files.readString(model));
        connection.close();
        await("the dispatcher of the other tests has stopped")
                .atMost(Duration.ofSeconds(60))
                .until(() -> canConnect(other));
        try (Connection old = DriverManager.getConnection("jdbc:multimed:embedded:" + other);
                Statement question = old.createStatement();
                Connection direct = DriverManager.getConnection(primary.jdbcUrl(), primary.user(), primary.password());
                Statement takesOver = direct.createStatement()) {
            assertThat(number(question, "SELECT count(*) FROM item")).isEqualTo(100);
            takesOver.execute("UPDATE multimed.base SET epoch = 7");
            takesOver.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'");
            await("another dispatcher runs").atMost(Duration.ofSeconds(60)).until(() -> {
                try {
                    question.executeUpdate("UPDATE item SET v = v + 1 WHERE id = 51");
                    return number(takesOver, "SELECT (epoch <> 7)::int FROM multimed.base") == 1;
                } catch (SQLException e) {
                    return false;
                }
            });
            assertThat(number(question, "SELECT count(*) FROM item")).isEqualTo(100);
        }
    }

    private static boolean canConnect(Path of) {
        try (Connection opened = DriverManager.getConnection("jdbc:multimed:embedded:" + of)) {
            return opened.isValid(5);
        } catch (SQLException e) {
            return false;
        }
    }

    /** A given-up wait, and the reads of others, are not bound to the thread of a client. */
    @Test
    void shouldNotWaitForEachOther() throws Exception {
        connection.setAutoCommit(false);
        statement.executeUpdate("UPDATE item SET v = v + 1 WHERE id = 60");
        CompletableFuture<Integer> waits = new CompletableFuture<>();
        new Thread(() -> {
                    try (Connection own = connect();
                            PreparedStatement update = own.prepareStatement("UPDATE item SET v = v + 1 WHERE id = ?")) {
                        update.setInt(1, 60);
                        waits.complete(update.executeUpdate());
                    } catch (SQLException e) {
                        waits.completeExceptionally(e);
                    }
                })
                .start();
        for (int i = 0; i < 20; i++) {
            increment(5, false);
            statement.executeUpdate("UPDATE item SET v = v + 1 WHERE id = 61");
        }
        assertThat(waits).isNotDone();
        connection.commit();
        assertThat(waits).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(1);
    }

    @Test
    void shouldReportAModelThatCannotBeRead() {
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:multimed:embedded:/nowhere/shop.yaml"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("/nowhere/shop.yaml")
                .extracting(failure -> ((SQLException) failure).getSQLState())
                .isEqualTo("08001");
    }
}
