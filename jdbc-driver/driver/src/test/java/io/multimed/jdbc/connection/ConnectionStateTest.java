// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.connection;

import static io.multimed.jdbc.ScriptedMiddleware.IDLE;
import static io.multimed.jdbc.ScriptedMiddleware.IN_TRANSACTION;
import static io.multimed.jdbc.ScriptedMiddleware.executed;
import static io.multimed.jdbc.ScriptedMiddleware.integer;
import static io.multimed.jdbc.ScriptedMiddleware.rowset;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.jdbc.MultimedConnection;
import io.multimed.jdbc.ScriptedMiddleware;
import io.multimed.protocol.request.CatalogCall;
import io.multimed.protocol.request.Commit;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.Goodbye;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.request.Rollback;
import io.multimed.protocol.request.SavepointRequest;
import io.multimed.protocol.response.CatalogAnswer;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.statement.TransactionMode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The states of a connection: transactions, settings, and the end. */
@Timeout(20)
class ConnectionStateTest {
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

    private void openTransactions() {
        middleware.answering(request -> request instanceof Execute
                ? executed(IN_TRANSACTION, new Outcome.Count(1))
                : request instanceof SavepointRequest ? new Done(IN_TRANSACTION) : null);
    }

    private void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private TransactionMode sentMode() {
        List<Execute> sent = middleware.requests(Execute.class);
        return sent.get(sent.size() - 1).mode();
    }

    private static String state(Throwable thrown) {
        return ((SQLException) thrown).getSQLState();
    }

    @Test
    void shouldSendItsSettingsWithTheNextStatement() throws SQLException {
        connection.setReadOnly(true);
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        assertThat(middleware.requests())
                .as("requests before the first statement")
                .isEmpty();
        run("SELECT 1");
        assertThat(sentMode()).isEqualTo(new TransactionMode(false, true, Connection.TRANSACTION_SERIALIZABLE));
    }

    @Test
    void shouldSendNothingForACommitOrRollbackWithoutATransaction() throws SQLException {
        connection.setAutoCommit(false);
        connection.commit();
        connection.rollback();
        assertThat(middleware.requests()).isEmpty();
    }

    @Test
    void shouldCommitAnOpenTransactionWhenAutoCommitIsSwitchedOn() throws SQLException {
        openTransactions();
        connection.setAutoCommit(false);
        run("UPDATE item SET price = 1");
        connection.setAutoCommit(true);
        assertThat(middleware.requests(Commit.class))
                .as("keeps modes of the next transaction, unlike a commit")
                .containsExactly(new Commit(true));
    }

    @Test
    void shouldEndModesThatSqlHasSetForTheNextTransaction() throws SQLException {
        SessionStatus modes = new SessionStatus(false, true, false, false, true, false, 0, null, 0, Route.NONE, 7);
        middleware.answering(request -> request instanceof Execute ? executed(modes, new Outcome.Count(0)) : null);
        connection.setAutoCommit(false);
        run("SET TRANSACTION READ ONLY");
        connection.commit();
        connection.commit();
        run("SET TRANSACTION READ ONLY");
        connection.rollback();
        connection.rollback();
        run("SET TRANSACTION READ ONLY");
        connection.setAutoCommit(true);
        assertThat(middleware.requests(Commit.class)).containsExactly(new Commit(false));
        assertThat(middleware.requests(Rollback.class)).hasSize(1);
    }

    @Test
    void shouldSwitchAutoCommitOnBySqlIfSqlHasSwitchedItOff() throws SQLException {
        SessionStatus off = new SessionStatus(true, true, false, false, false, true, 0, null, 0, Route.NONE, 7);
        middleware.answering(request -> request instanceof Execute execute
                ? executed("SET autocommit = 1".equals(execute.text().sql()) ? IDLE : off, new Outcome.Count(0))
                : null);
        run("SET autocommit = 0");
        connection.setAutoCommit(false);
        connection.setAutoCommit(true);
        connection.setAutoCommit(true);
        assertThat(middleware.statements()).containsExactly("SET autocommit = 0", "SET autocommit = 1");
        assertThat(middleware.requests(Commit.class)).isEmpty();
    }

    @Test
    void shouldReplaceModesThatSqlHasSetForTheNextTransaction() throws SQLException {
        SessionStatus modes = new SessionStatus(false, true, false, false, true, false, 0, null, 0, Route.NONE, 7);
        middleware.answering(request -> request instanceof Execute ? executed(modes, new Outcome.Count(0)) : null);
        run("SET TRANSACTION READ ONLY");
        connection.setReadOnly(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        assertThat(middleware.statements())
                .containsExactly(
                        "SET TRANSACTION READ ONLY",
                        "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
                        "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED");
    }

    @Test
    void shouldRefuseCommitAndSavepointsInAutoCommit() {
        assertThatThrownBy(connection::commit)
                .hasMessage("Cannot commit when autoCommit is enabled.")
                .extracting(ConnectionStateTest::state)
                .isEqualTo("25P01");
        assertThatThrownBy(connection::rollback).hasMessage("Cannot rollback when autoCommit is enabled.");
        assertThatThrownBy(connection::setSavepoint).hasMessage("Cannot establish a savepoint in auto-commit mode.");
    }

    @Test
    void shouldRefuseToChangeSettingsWithinATransaction() throws SQLException {
        openTransactions();
        connection.setAutoCommit(false);
        run("UPDATE item SET price = 1");
        assertThatThrownBy(() -> connection.setReadOnly(true))
                .hasMessageContaining("in the middle of a transaction")
                .extracting(ConnectionStateTest::state)
                .isEqualTo("25001");
        assertThatThrownBy(() -> connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED))
                .hasMessageContaining("in the middle of a transaction");
        assertThatThrownBy(() -> {
                    connection.rollback();
                    connection.setTransactionIsolation(3);
                })
                .hasMessage("Transaction isolation level 3 not supported.");
        assertThat(middleware.requests(Rollback.class)).hasSize(1);
    }

    @Test
    void shouldKeepSavepointsUntilTheyAreReleased() throws SQLException {
        openTransactions();
        connection.setAutoCommit(false);
        Savepoint named = connection.setSavepoint("here");
        Savepoint unnamed = connection.setSavepoint();
        assertThat(named.getSavepointName()).isEqualTo("here");
        assertThatThrownBy(named::getSavepointId).hasMessageContaining("named savepoint");
        assertThatThrownBy(unnamed::getSavepointName).hasMessageContaining("unnamed savepoint");
        connection.rollback(named);
        connection.releaseSavepoint(named);
        assertThatThrownBy(() -> connection.rollback(named))
                .hasMessage("Cannot reference a savepoint after it has been released.")
                .extracting(ConnectionStateTest::state)
                .isEqualTo("3B000");
        assertThat(middleware.requests(SavepointRequest.class))
                .extracting(SavepointRequest::action)
                .containsExactly(
                        SavepointRequest.Action.SET,
                        SavepointRequest.Action.SET,
                        SavepointRequest.Action.ROLLBACK_TO,
                        SavepointRequest.Action.RELEASE);
    }

    @Test
    void shouldSayGoodbyeOnceAndThenRefuseEverything() throws Exception {
        Statement statement = connection.createStatement();
        connection.close();
        connection.close();
        assertThat(connection.isClosed()).isTrue();
        assertThat(connection.isValid(1)).isFalse();
        for (org.assertj.core.api.ThrowableAssert.ThrowingCallable call :
                List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
                        connection::createStatement,
                        () -> connection.prepareStatement("SELECT 1"),
                        connection::getMetaData,
                        connection::getAutoCommit,
                        connection::getWarnings,
                        connection::createBlob,
                        () -> statement.execute("SELECT 1"))) {
            assertThatThrownBy(call)
                    .isInstanceOf(SQLNonTransientConnectionException.class)
                    .hasMessage("This connection has been closed.")
                    .extracting(ConnectionStateTest::state)
                    .isEqualTo("08003");
        }
        org.awaitility.Awaitility.await("the goodbye")
                .until(() -> middleware.requests(Goodbye.class).size() == 1);
    }

    @Test
    void shouldRefuseEverythingOnAClosedStatement() throws SQLException {
        Statement statement = connection.createStatement();
        statement.close();
        statement.close();
        assertThatThrownBy(() -> statement.execute("SELECT 1"))
                .hasMessage("This statement has been closed.")
                .extracting(ConnectionStateTest::state)
                .isEqualTo("55000");
        assertThatThrownBy(statement::getResultSet).hasMessage("This statement has been closed.");
        assertThatThrownBy(() -> statement.setFetchSize(1)).hasMessage("This statement has been closed.");
        assertThat(middleware.requests(Execute.class)).isEmpty();
    }

    @Test
    void shouldCloseTheResultWithItsStatementAndTheStatementOnCompletion() throws SQLException {
        middleware.answering(request ->
                request instanceof Execute ? executed(IDLE, rowset(List.of(integer("id")), new Object[] {1})) : null);
        Statement first = connection.createStatement();
        ResultSet rows = first.executeQuery("SELECT id FROM item");
        first.close();
        assertThat(rows.isClosed()).isTrue();
        Statement second = connection.createStatement();
        second.closeOnCompletion();
        ResultSet replaced = second.executeQuery("SELECT id FROM item");
        ResultSet last = second.executeQuery("SELECT id FROM item");
        assertThat(replaced.isClosed()).as("by the next execution").isTrue();
        assertThat(second.isClosed()).isFalse();
        last.close();
        assertThat(second.isClosed()).isTrue();
    }

    @Test
    void shouldWalkOverSeveralResults() throws SQLException {
        Outcome rows = rowset(List.of(integer("id")), new Object[] {1});
        middleware.answering(request -> request instanceof Execute ? executed(IDLE, new Outcome.Count(3), rows) : null);
        Statement statement = connection.createStatement();
        assertThat(statement.execute("UPDATE ...; SELECT ...")).isFalse();
        assertThat(statement.getUpdateCount()).isEqualTo(3);
        assertThat(statement.getMoreResults()).isTrue();
        assertThat(statement.getUpdateCount()).isEqualTo(-1);
        assertThat(statement.getResultSet().next()).isTrue();
        assertThat(statement.getMoreResults()).isFalse();
        assertThat(statement.getUpdateCount()).isEqualTo(-1);
        assertThatThrownBy(() -> statement.executeQuery("UPDATE ...; SELECT ..."))
                .as("a query whose first result is a count")
                .hasMessage("No results were returned by the query.");
    }

    @Test
    void shouldAnswerConstantPropertiesFromTheWelcome() throws SQLException {
        middleware.answering(request -> request instanceof CatalogCall call
                ? new CatalogAnswer(IDLE, call.method().equals("getMaxConnections") ? 100 : null, null)
                : null);
        assertThat(connection.getMetaData().getDatabaseProductName()).isEqualTo("PostgreSQL");
        assertThat(connection.getMetaData().getURL()).isEqualTo(middleware.url());
        assertThat(connection.getMetaData().getUserName()).isEqualTo("tester");
        assertThat(connection.getMetaData().getConnection()).isSameAs(connection);
        assertThat(middleware.requests()).isEmpty();
        assertThat(connection.getMetaData().getMaxConnections()).isEqualTo(100);
        assertThat(connection.getMetaData().getMaxConnections()).isEqualTo(100);
        assertThat(middleware.requests(CatalogCall.class))
                .as("round trips for a constant")
                .hasSize(1);
    }

    @Test
    void shouldReportTheNodeThatAnswered() throws SQLException {
        MultimedConnection own = connection.unwrap(MultimedConnection.class);
        assertThat(own.lastNode()).isEmpty();
        assertThat(own.lastScn()).as("the SCN of the welcome").isEqualTo(5);
        run("SELECT 1");
        assertThat(own.lastNode()).isEqualTo("master");
        assertThat(own.lastScn()).isEqualTo(7);
        assertThatThrownBy(() -> connection.unwrap(Request.class))
                .hasMessageContaining("cannot be unwrapped to")
                .hasMessageContaining("many engine connections");
    }

    @Test
    void shouldSetTheSearchPathOfThePropertyBeforeTheFirstStatement() throws SQLException {
        try (Connection own = middleware.connect("currentSchema=Sales,%22My%20Schema%22")) {
            assertThat(own.getCatalog()).isEqualTo("shop");
        }
        assertThat(middleware.statements()).containsExactly("SET SESSION search_path TO 'sales', 'My Schema'");
    }

    private static SessionStatus inTransaction(int node, Route route) {
        return new SessionStatus(true, true, false, false, false, false, 0, null, node, route, 7);
    }

    /** Begins a transaction with two statements: the second one runs on the node of the first one. */
    private void beginTransaction(int node, Route first) throws SQLException {
        AtomicInteger statements = new AtomicInteger();
        middleware.answering(request -> request instanceof Execute
                ? executed(
                        inTransaction(node, statements.getAndIncrement() == 0 ? first : Route.SAME_TRANSACTION),
                        new Outcome.Count(1))
                : null);
        connection.setAutoCommit(false);
        run("SELECT 1");
        run("SELECT 2");
    }

    @Test
    void shouldNotWaitForTheEndOfATransactionOnASatellite() throws Exception {
        beginTransaction(1, Route.FRESH);
        CountDownLatch committed = new CountDownLatch(1);
        middleware.answering(request -> {
            if (request instanceof Commit) {
                committed.await();
            }
            return request instanceof Execute ? executed(IDLE, new Outcome.Count(5)) : null;
        });
        connection.commit();
        assertThat(connection.unwrap(MultimedConnection.class).lastNode()).isEqualTo("satellite-1");
        committed.countDown(); // the response to the commit can only be sent now
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("UPDATE item SET price = 1"))
                    .as("the response to the statement, not to the commit")
                    .isEqualTo(5);
        }
        assertThat(connection.isValid(1)).isTrue();
        assertThat(middleware.requests(Commit.class)).hasSize(1);
    }

    @Test
    void shouldEndManyTransactionsOnSatellitesWithoutAStatementInBetween() throws SQLException {
        for (int i = 0; i < 5; i++) {
            beginTransaction(1, Route.CAUGHT_UP);
            connection.rollback();
        }
        assertThat(connection.isValid(1)).as("after all rollbacks").isTrue();
        assertThat(middleware.requests(Rollback.class)).hasSize(5);
    }

    @Test
    void shouldReportTheErrorOfACommitOnTheMaster() throws SQLException {
        beginTransaction(0, Route.UPDATE);
        middleware.answering(
                request -> request instanceof Commit ? ScriptedMiddleware.error(IDLE, "23503", "violated") : null);
        assertThatThrownBy(connection::commit).hasMessage("violated");
    }

    @Test
    void shouldWaitForTheEndOfATransactionThatHasMovedToTheMaster() throws SQLException {
        beginTransaction(1, Route.FRESH);
        middleware.answering(request -> request instanceof Execute
                ? executed(inTransaction(0, Route.SAME_TRANSACTION), new Outcome.Count(1))
                : request instanceof Commit ? ScriptedMiddleware.error(IDLE, "23503", "violated") : null);
        run("SELECT 3");
        assertThatThrownBy(connection::commit).hasMessage("violated");
    }

    @Test
    void shouldReportWhyTheConnectionWasClosedAfterTheEndOfATransactionOnASatellite() throws SQLException {
        beginTransaction(1, Route.FRESH);
        middleware.answering(request -> {
            if (request instanceof Commit) {
                return ScriptedMiddleware.error(IDLE, "25P03", "the transaction was idle for too long");
            }
            throw new ScriptedMiddleware.LostConnection();
        });
        connection.commit();
        assertThatThrownBy(() -> connection.getMetaData().getTables(null, null, null, null))
                .hasMessageContaining("was closed: the transaction was idle for too long")
                .extracting(ConnectionStateTest::state)
                .isEqualTo("08006");
    }
}
