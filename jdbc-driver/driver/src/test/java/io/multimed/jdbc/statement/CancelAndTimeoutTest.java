// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.statement;

import static io.multimed.jdbc.ScriptedMiddleware.IDLE;
import static io.multimed.jdbc.ScriptedMiddleware.error;
import static io.multimed.jdbc.ScriptedMiddleware.executed;
import static io.multimed.jdbc.ScriptedMiddleware.firstBatch;
import static io.multimed.jdbc.ScriptedMiddleware.integer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.jdbc.ScriptedMiddleware;
import io.multimed.protocol.request.Cancel;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.Ping;
import io.multimed.protocol.request.QueryOutcome;
import io.multimed.protocol.request.Upload;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.OutcomeAnswer;
import io.multimed.protocol.wire.Protocol;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Statements that are canceled, and answers that do not come. */
@Timeout(20)
class CancelAndTimeoutTest {
    private final CountDownLatch running = new CountDownLatch(1);
    private ScriptedMiddleware middleware;
    private Connection connection;

    @BeforeEach
    void connect() throws Exception {
        middleware = new ScriptedMiddleware(ScriptedMiddleware.POSTGRESQL);
        connection = middleware.connect();
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
        middleware.close();
    }

    /** Runs statements until a cancel arrives. */
    private void runUntilCanceled() {
        middleware.answering(request -> {
            if (!(request instanceof Execute)) {
                return null;
            }
            running.countDown();
            while (middleware.requests(Cancel.class).isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(2);
            }
            return error(IDLE, "57014", "canceling statement due to user request");
        });
    }

    /** Fails with a TimeoutException, instead of waiting, if the statement does not end. */
    private CompletableFuture<Void> runInBackground(Statement statement) throws InterruptedException {
        CompletableFuture<Void> done = CompletableFuture.runAsync(() -> {
            try {
                statement.execute("SELECT pg_sleep(1000)");
            } catch (SQLException e) {
                throw new CompletionException(e);
            }
        });
        assertThat(running.await(10, TimeUnit.SECONDS))
                .as("the statement arrived")
                .isTrue();
        return done;
    }

    @Test
    void shouldCancelTheRunningStatementOverAnotherConnection() throws Exception {
        runUntilCanceled();
        Statement statement = connection.createStatement();
        CompletableFuture<Void> done = runInBackground(statement);
        statement.cancel();
        assertThatThrownBy(done::join).hasCauseInstanceOf(SQLTimeoutException.class);
        assertThat(middleware.requests(Cancel.class)).containsExactly(new Cancel(1, 101, 2));
        assertThat(statement.isClosed()).isFalse();
    }

    @Test
    void shouldCancelAStatementThatAnotherThreadCloses() throws Exception {
        runUntilCanceled();
        Statement statement = connection.createStatement();
        CompletableFuture<Void> done = runInBackground(statement);
        statement.close();
        assertThatThrownBy(done::join).hasCauseInstanceOf(SQLTimeoutException.class);
        assertThat(statement.isClosed()).isTrue();
    }

    /** The middleware hears of the cancel before it receives the statement. */
    @Test
    void shouldCancelAStatementWhoseLargeParameterIsBeingSent() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        middleware.answering(request -> {
            if (request instanceof Upload) {
                running.countDown();
                mayEnd.await();
                return new Done(IDLE);
            }
            return null;
        });
        PreparedStatement statement = connection.prepareStatement("INSERT INTO item VALUES (?)");
        statement.setBytes(1, new byte[Protocol.PIECE + 1]);
        Thread sending = new Thread(() -> executeQuietly(statement));
        sending.start();
        running.await();
        statement.cancel();
        assertThat(middleware.requests(Cancel.class))
                .as("nothing to cancel yet")
                .isEmpty();
        mayEnd.countDown();
        sending.join();
        int number = 1 + 1 + middleware.requests(Upload.class).size();
        assertThat(middleware.requests(Cancel.class)).containsExactly(new Cancel(1, 101, number));
        assertThat(middleware.requests()).last().isInstanceOf(Execute.class);
    }

    private static void executeQuietly(PreparedStatement statement) {
        try {
            statement.execute();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A middleware to which many clients connect may displace a connection without a login. */
    @Test
    void shouldRepeatACancelThatWasNotReceived() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        middleware.answering(request -> {
            if (request instanceof Cancel && attempts.incrementAndGet() == 1) {
                throw new ScriptedMiddleware.LostConnection();
            } else if (request instanceof Execute) {
                running.countDown();
                await().until(() -> attempts.get() == 2);
                return error(IDLE, "57014", "canceling statement due to user request");
            }
            return null;
        });
        Statement statement = connection.createStatement();
        CompletableFuture<Void> done = runInBackground(statement);
        statement.cancel();
        assertThatThrownBy(done::join).hasCauseInstanceOf(SQLTimeoutException.class);
    }

    @Test
    void shouldReportThatAStatementCouldNotBeCanceled() throws Exception {
        runUntilCanceled();
        Statement statement = connection.createStatement();
        CompletableFuture<Void> done = runInBackground(statement);
        middleware.stopListening();
        assertThatThrownBy(statement::cancel)
                .hasMessageContaining("could not be canceled")
                .extracting("SQLState")
                .isEqualTo("08006");
        connection.abort(Runnable::run);
        assertThatThrownBy(done::join).hasCauseInstanceOf(SQLException.class);
    }

    /** The middleware cancels the statement of a client that disconnects. */
    @Test
    void shouldNotWaitForARunningStatementWhenAnotherThreadClosesTheConnection() throws Exception {
        runUntilCanceled();
        CompletableFuture<Void> done = runInBackground(connection.createStatement());
        connection.close();
        assertThatThrownBy(done::join).hasCauseInstanceOf(SQLException.class);
        assertThat(connection.isClosed()).isTrue();
    }

    @Test
    void shouldSendNoCancelIfNothingRuns() throws SQLException {
        Statement statement = connection.createStatement();
        statement.cancel();
        statement.execute("SELECT 1");
        assertThat(middleware.requests(Cancel.class)).isEmpty();
    }

    @Test
    void shouldNotFetchFurtherRowsOfACanceledResult() throws SQLException {
        middleware.answering(request -> request instanceof Execute
                ? executed(IDLE, firstBatch(1, List.of(integer("id")), new Object[] {1}))
                : null);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id FROM item");
        statement.cancel();
        assertThat(rows.next()).as("a row that has arrived").isTrue();
        assertThatThrownBy(rows::next)
                .isInstanceOf(SQLTimeoutException.class)
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("57014");
    }

    @Test
    void shouldSendTheQueryTimeoutWithTheStatement() throws SQLException {
        Statement statement = connection.createStatement();
        statement.setQueryTimeout(7);
        statement.execute("SELECT 1");
        assertThat(middleware.requests(Execute.class).get(0).options().timeoutSeconds())
                .isEqualTo(7);
        assertThatThrownBy(() -> statement.setQueryTimeout(-1)).hasMessageContaining("greater than or equal");
    }

    @Test
    void shouldCloseTheConnectionAfterANetworkTimeout() throws SQLException {
        middleware.answering(request -> request instanceof Execute
                ? ScriptedMiddleware.SILENCE
                : request instanceof QueryOutcome ? OutcomeAnswer.NOT_COMMITTED : null);
        connection.setNetworkTimeout(Runnable::run, 100);
        assertThatThrownBy(() -> connection.createStatement().execute("UPDATE item SET price = 1"))
                .isInstanceOf(SQLNonTransientConnectionException.class)
                .hasMessageContaining("gave no answer in time")
                .hasMessageContaining("is closed; no change of the transaction is committed")
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("08006");
        assertThat(connection.isClosed()).isTrue();
    }

    @Test
    void shouldSucceedAfterANetworkTimeoutIfTheChangeIsCommitted() throws SQLException {
        middleware.answering(request -> request instanceof Execute
                ? ScriptedMiddleware.SILENCE
                : request instanceof QueryOutcome
                        ? new OutcomeAnswer(
                                OutcomeAnswer.Fate.ANSWERED,
                                0,
                                executed(IDLE, new io.multimed.protocol.response.Outcome.Count(3)))
                        : null);
        connection.setNetworkTimeout(Runnable::run, 100);
        assertThat(connection.createStatement().executeUpdate("UPDATE item SET price = 1"))
                .isEqualTo(3);
        assertThat(connection.isClosed()).isFalse();
        assertThat(connection.getNetworkTimeout()).as("also of the new session").isEqualTo(100);
    }

    @Test
    void shouldBeInvalidIfThePingIsNotAnsweredInTime() throws SQLException {
        assertThat(connection.isValid(1)).isTrue();
        middleware.answering(request -> request instanceof Ping ? ScriptedMiddleware.SILENCE : null);
        assertThat(connection.isValid(1)).isFalse();
        assertThatThrownBy(() -> connection.isValid(-1)).hasMessage("Invalid timeout (-1<0).");
    }

    /** The limit of isValid and the network timeout apply both; one of them may be none. */
    @Test
    void shouldBeInvalidIfThePingIsNotAnsweredWithinTheNetworkTimeout() throws SQLException {
        middleware.answering(request -> request instanceof Ping ? ScriptedMiddleware.SILENCE : null);
        for (int seconds : new int[] {0, 1_000, Integer.MAX_VALUE}) {
            try (Connection silent = middleware.connect()) {
                silent.setNetworkTimeout(Runnable::run, 100);
                assertThat(silent.isValid(seconds)).isFalse();
                assertThat(silent.isClosed()).isTrue();
            }
        }
    }

    @Test
    void shouldKeepTheNetworkTimeoutAfterAPing() throws SQLException {
        connection.setNetworkTimeout(Runnable::run, 77_000);
        for (int seconds : new int[] {0, 1, Integer.MAX_VALUE}) {
            assertThat(connection.isValid(seconds)).isTrue();
            assertThat(connection.getNetworkTimeout()).isEqualTo(77_000);
        }
    }

    @Test
    void shouldWakeAWaitingThreadByAbort() throws Exception {
        runUntilCanceled();
        CompletableFuture<Void> done = runInBackground(connection.createStatement());
        connection.abort(Runnable::run);
        assertThatThrownBy(done::join).hasCauseInstanceOf(SQLException.class);
        assertThat(connection.isClosed()).isTrue();
        assertThatThrownBy(() -> connection.abort(null)).hasMessageContaining("executor");
    }
}
