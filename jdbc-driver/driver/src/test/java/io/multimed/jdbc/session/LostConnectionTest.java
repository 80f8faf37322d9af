// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import static io.multimed.jdbc.ScriptedMiddleware.IDLE;
import static io.multimed.jdbc.ScriptedMiddleware.IN_TRANSACTION;
import static io.multimed.jdbc.ScriptedMiddleware.error;
import static io.multimed.jdbc.ScriptedMiddleware.executed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.jdbc.MultimedConnection;
import io.multimed.jdbc.ScriptedMiddleware;
import io.multimed.jdbc.ScriptedMiddleware.LostConnection;
import io.multimed.protocol.request.Commit;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.ExecuteScript;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.request.QueryOutcome;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.request.Rollback;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.OutcomeAnswer;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an application learns when the connection breaks while a request may commit. */
@Timeout(20)
class LostConnectionTest {
    private ScriptedMiddleware middleware;
    private Connection connection;

    @BeforeEach
    void connect() throws Exception {
        middleware = new ScriptedMiddleware(ScriptedMiddleware.POSTGRESQL);
        connection = middleware.connect("user=tester&outcomeTimeout=1");
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
        middleware.close();
    }

    /** Loses the connection at the first request of a class, and later answers the question for its outcome. */
    private void lose(Class<? extends Request> lost, OutcomeAnswer outcome, SessionStatus before) {
        AtomicInteger losses = new AtomicInteger();
        middleware.answering(request -> {
            if (lost.isInstance(request) && losses.getAndIncrement() == 0) {
                throw new LostConnection();
            }
            return request instanceof QueryOutcome ? outcome : usual(request, before);
        });
    }

    private static @Nullable Response usual(Request request, SessionStatus status) {
        return request instanceof Execute ? executed(status, new Outcome.Count(1)) : null;
    }

    private static OutcomeAnswer committed() {
        return new OutcomeAnswer(OutcomeAnswer.Fate.COMMITTED, 42, null);
    }

    private void update(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private static String state(Throwable thrown) {
        return ((SQLException) thrown).getSQLState();
    }

    @Test
    void shouldCompleteACommitThatTookEffect() throws SQLException {
        lose(Commit.class, committed(), IN_TRANSACTION);
        connection.setAutoCommit(false);
        update("UPDATE item SET price = 1");
        connection.commit();
        assertThat(connection.unwrap(MultimedConnection.class).lastScn())
                .as("the SCN of the commit")
                .isEqualTo(42);
        assertThat(connection.unwrap(MultimedConnection.class).sessionId())
                .as("the new session")
                .isEqualTo(2);
        QueryOutcome question = middleware.requests(QueryOutcome.class).get(0);
        assertThat(question.sessionId()).isEqualTo(1);
        assertThat(question.secret()).isEqualTo(101);
        assertThat(question.sequence()).as("hello, update and commit").isEqualTo(3);
    }

    @Test
    void shouldReportACommitThatDidNotTakeEffect() throws SQLException {
        lose(Commit.class, OutcomeAnswer.NOT_COMMITTED, IN_TRANSACTION);
        connection.setAutoCommit(false);
        update("UPDATE item SET price = 1");
        assertThatThrownBy(connection::commit)
                .isInstanceOf(SQLTransactionRollbackException.class)
                .hasMessageContaining("nothing of it is committed; run it again")
                .extracting(LostConnectionTest::state)
                .isEqualTo("40001");
        assertThatCode(() -> update("UPDATE item SET price = 2"))
                .as("a statement of the next transaction, over the new session")
                .doesNotThrowAnyException();
    }

    @Test
    void shouldReportAnUnknownOutcomeWithTheReceiptForAnOperator() throws SQLException {
        lose(Commit.class, OutcomeAnswer.UNKNOWN, IN_TRANSACTION);
        connection.setAutoCommit(false);
        update("UPDATE item SET price = 1");
        assertThatThrownBy(connection::commit)
                .isInstanceOf(SQLNonTransientConnectionException.class)
                .hasMessageContaining("it is not known whether the transaction committed")
                .hasMessageContaining("SHOW MULTIMED OUTCOME 1 3")
                .extracting(LostConnectionTest::state)
                .isEqualTo("08007");
        assertThat(connection.isClosed()).isTrue();
    }

    @Test
    void shouldAskForTheOutcomeUntilTheTimeoutIfTheMiddlewareIsGone() throws Exception {
        lose(Commit.class, committed(), IN_TRANSACTION);
        connection.setAutoCommit(false);
        update("UPDATE item SET price = 1");
        middleware.stopListening();
        Instant begin = Instant.now();
        assertThatThrownBy(connection::commit)
                .extracting(LostConnectionTest::state)
                .isEqualTo("08007");
        assertThat(Duration.between(begin, Instant.now()))
                .as("time until the driver gave up, with outcomeTimeout=1")
                .isBetween(Duration.ofMillis(800), Duration.ofSeconds(5));
    }

    @Test
    void shouldReturnTheResultOfAStatementThatWasAnswered() throws SQLException {
        Response answer = executed(IDLE, new Outcome.Count(17));
        lose(Execute.class, new OutcomeAnswer(OutcomeAnswer.Fate.ANSWERED, 0, answer), IDLE);
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("UPDATE item SET price = 1")).isEqualTo(17);
        }
    }

    @Test
    void shouldThrowTheErrorOfAStatementThatFailed() {
        Response answer = error(IDLE, "23505", "duplicate key");
        lose(Execute.class, new OutcomeAnswer(OutcomeAnswer.Fate.ANSWERED, 0, answer), IDLE);
        assertThatThrownBy(() -> update("INSERT INTO item VALUES (1)"))
                .hasMessage("duplicate key")
                .isInstanceOf(java.sql.SQLIntegrityConstraintViolationException.class);
    }

    @Test
    void shouldNotRunAStatementAgainThatCommittedWithoutAResult() {
        lose(Execute.class, committed(), IDLE);
        assertThatThrownBy(() -> update("INSERT INTO item VALUES (1)"))
                .hasMessageContaining("was executed and committed (SCN 42)")
                .hasMessageContaining("do not run it again")
                .extracting(LostConnectionTest::state)
                .isEqualTo("MM001");
    }

    @Test
    void shouldReturnNoCountsOfABatchThatCommitted() throws SQLException {
        lose(ExecuteScript.class, committed(), IDLE);
        try (Statement statement = connection.createStatement()) {
            statement.addBatch("INSERT INTO item VALUES (1)");
            statement.addBatch("INSERT INTO item VALUES (2)");
            assertThat(statement.executeBatch())
                    .containsOnly(Statement.SUCCESS_NO_INFO)
                    .hasSize(2);
        }
    }

    @Test
    void shouldIgnoreStatementsOfAnAbortedTransactionUntilItIsRolledBack() throws SQLException {
        connection.setAutoCommit(false);
        middleware.answering(request -> usual(request, IN_TRANSACTION));
        update("UPDATE item SET price = 1");
        lose(Execute.class, OutcomeAnswer.NOT_COMMITTED, IN_TRANSACTION);
        assertThatThrownBy(() -> update("UPDATE item SET price = 2"))
                .extracting(LostConnectionTest::state)
                .isEqualTo("40001");
        int sent = middleware.requests().size();
        assertThatThrownBy(() -> update("UPDATE item SET price = 3"))
                .hasMessageContaining("statements are ignored until it is rolled back")
                .extracting(LostConnectionTest::state)
                .isEqualTo("25P02");
        assertThat(middleware.requests())
                .as("requests after the transaction was lost")
                .hasSize(sent);
        connection.rollback();
        update("UPDATE item SET price = 3");
        assertThat(middleware.statements()).endsWith("UPDATE item SET price = 3");
        assertThat(middleware.requests(Rollback.class))
                .as("there was nothing to roll back")
                .isEmpty();
    }

    @Test
    void shouldFailTheCommitOfATransactionThatAnErrorHasEnded() throws SQLException {
        connection.setAutoCommit(false);
        AtomicInteger statements = new AtomicInteger();
        middleware.answering(request -> request instanceof Execute && statements.incrementAndGet() == 2
                ? error(IDLE, "57P01", "the node was stopped")
                : usual(request, IN_TRANSACTION));
        update("UPDATE item SET price = 1");
        assertThatThrownBy(() -> update("UPDATE item SET price = 2")).hasMessage("the node was stopped");
        assertThatThrownBy(connection::commit)
                .hasMessage("the transaction was rolled back; run it again: the node was stopped")
                .extracting(LostConnectionTest::state)
                .isEqualTo("40001");
        connection.commit(); // the next transaction, which is empty
        assertThat(middleware.requests(Commit.class)).isEmpty();
    }

    @Test
    void shouldContinueAfterTheCommitBySwitchingAutoCommitOnHasFailed() throws SQLException {
        SessionStatus off = new SessionStatus(true, true, false, false, false, true, 0, null, 0, Route.NONE, 7);
        middleware.answering(request -> request instanceof Execute execute
                        && "SET autocommit = 1".equals(execute.text().sql())
                ? error(IDLE, "40001", "a row was changed meanwhile")
                : usual(request, off));
        update("SET autocommit = 0");
        update("UPDATE item SET price = 1");
        assertThatThrownBy(() -> connection.setAutoCommit(true)).hasMessage("a row was changed meanwhile");
        update("UPDATE item SET price = 2");
        assertThat(middleware.statements()).endsWith("UPDATE item SET price = 2");
    }

    @Test
    void shouldAlsoFailACommitThatIsAStatement() throws SQLException {
        connection.setAutoCommit(false);
        AtomicInteger statements = new AtomicInteger();
        middleware.answering(request -> request instanceof Execute && statements.incrementAndGet() == 2
                ? error(IDLE, "57P01", "the node was stopped")
                : usual(request, IN_TRANSACTION));
        update("UPDATE item SET price = 1");
        assertThatThrownBy(() -> update("UPDATE item SET price = 2")).hasMessage("the node was stopped");
        assertThatThrownBy(() -> update("rollback to savepoint a"))
                .extracting(LostConnectionTest::state)
                .isEqualTo("25P02");
        assertThatThrownBy(() -> update("  commit work"))
                .extracting(LostConnectionTest::state)
                .isEqualTo("40001");
    }

    @Test
    void shouldRemainClosedIfSqlHadSetModesInTheLostSession() throws SQLException {
        for (SessionStatus modes : List.of(
                new SessionStatus(true, true, false, false, true, false, 0, null, 0, Route.NONE, 7),
                new SessionStatus(true, true, false, false, false, false, 8, null, 0, Route.NONE, 7),
                new SessionStatus(true, true, false, false, false, true, 0, null, 0, Route.NONE, 7),
                new SessionStatus(true, true, false, false, false, false, 0, true, 0, Route.NONE, 7))) {
            lose(Commit.class, committed(), modes);
            try (Connection own = middleware.connect("user=tester&outcomeTimeout=1")) {
                own.setAutoCommit(false);
                try (Statement statement = own.createStatement()) {
                    statement.executeUpdate("UPDATE item SET price = 1");
                }
                own.commit();
                assertThat(own.isClosed()).as("the modes are lost: %s", modes).isTrue();
            }
        }
    }

    @Test
    void shouldRemainClosedIfTheLostSessionHadStateInAnEngine() throws SQLException {
        SessionStatus pinned = new SessionStatus(true, true, false, true, false, false, 0, null, 0, Route.NONE, 7);
        lose(Commit.class, committed(), pinned);
        connection.setAutoCommit(false);
        update("SET work_mem = '1MB'");
        connection.commit();
        assertThat(connection.isClosed()).as("the session's settings are lost").isTrue();
        assertThatThrownBy(() -> update("SELECT 1")).isInstanceOf(SQLNonTransientConnectionException.class);
    }

    @Test
    void shouldNotReconnectForARequestThatCannotCommit() {
        lose(io.multimed.protocol.request.Describe.class, committed(), IDLE);
        assertThatThrownBy(() -> connection
                        .prepareStatement("SELECT ?")
                        .getParameterMetaData()
                        .getParameterCount())
                .isInstanceOf(SQLNonTransientConnectionException.class)
                .hasMessageContaining("is lost")
                .extracting(LostConnectionTest::state)
                .isEqualTo("08006");
        assertThat(middleware.sessions()).isEqualTo(1);
    }

    @Test
    void shouldSendTheSqlOfPreparedStatementsAgainOverANewSession() throws SQLException {
        middleware.answering(request -> usual(request, IN_TRANSACTION));
        connection.setAutoCommit(false);
        try (var statement = connection.prepareStatement("UPDATE item SET price = ?")) {
            statement.setInt(1, 1);
            statement.executeUpdate();
            statement.executeUpdate();
            lose(Commit.class, committed(), IN_TRANSACTION);
            connection.commit();
            statement.executeUpdate();
        }
        assertThat(middleware.statements())
                .containsExactly("UPDATE item SET price = ?", null, "UPDATE item SET price = ?");
    }

    @Test
    void shouldStopAskingIfTheMiddlewareRefusesTheUser() throws SQLException {
        AtomicInteger hellos = new AtomicInteger();
        middleware.answering(request -> {
            if (request instanceof Commit) {
                throw new LostConnection();
            } else if (request instanceof Hello) {
                hellos.incrementAndGet();
                return error(IDLE, "28000", "the user may not log in any more");
            }
            return usual(request, IN_TRANSACTION);
        });
        connection.setAutoCommit(false);
        update("UPDATE item SET price = 1");
        assertThatThrownBy(connection::commit)
                .extracting(LostConnectionTest::state)
                .isEqualTo("08007");
        assertThat(hellos).hasValue(1);
    }
}
