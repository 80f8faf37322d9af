// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.connection;

import static io.multimed.jdbc.ScriptedMiddleware.IDLE;
import static io.multimed.jdbc.ScriptedMiddleware.executed;
import static io.multimed.jdbc.ScriptedMiddleware.firstBatch;
import static io.multimed.jdbc.ScriptedMiddleware.integer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.jdbc.ScriptedMiddleware;
import io.multimed.protocol.request.CloseCursor;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.value.ErrorFields;
import io.multimed.protocol.value.Warning;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Threads that use one connection at the same time: which methods wait for a statement that runs, which do not, and
 * whom a cancel reaches.
 */
@Timeout(20)
class ConcurrentUseTest {
    private static final String LONG = "SELECT pg_sleep(1000)";

    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private ScriptedMiddleware middleware;
    private Connection connection;

    @BeforeEach
    void connect() throws Exception {
        middleware = new ScriptedMiddleware(ScriptedMiddleware.POSTGRESQL);
        middleware.answering(request -> {
            if (!(request instanceof Execute execute)) {
                return null;
            }
            String sql = String.valueOf(execute.text().sql());
            if (sql.equals(LONG)) {
                running.countDown();
                end.await();
                return executed(IDLE, ScriptedMiddleware.rowset(List.of(integer("n")), new Object[] {1}));
            }
            return sql.contains("WARNING")
                    ? new Executed(
                            IDLE,
                            List.of(new Outcome.Count(0)),
                            null,
                            List.of(new Warning("01000", 0, "careful", ErrorFields.NONE)))
                    : executed(IDLE, firstBatch(7, List.of(integer("id")), new Object[] {1}, new Object[] {2}));
        });
        connection = middleware.connect();
    }

    @AfterEach
    void close() throws Exception {
        end.countDown();
        connection.close();
        middleware.close();
    }

    private static <T> FutureTask<T> start(Callable<T> task) {
        FutureTask<T> started = new FutureTask<>(task);
        Thread thread = new Thread(started);
        thread.setDaemon(true);
        thread.start();
        return started;
    }

    /** Runs the long statement in another thread, and returns when the middleware has received it. */
    private FutureTask<ResultSet> runLong(Statement statement) throws InterruptedException {
        FutureTask<ResultSet> task = start(() -> statement.executeQuery(LONG));
        running.await();
        return task;
    }

    /** Runs a statement in another thread, and returns when the statement waits for the connection. */
    private static FutureTask<ResultSet> runWaiting(Statement statement) throws InterruptedException {
        FutureTask<ResultSet> task = new FutureTask<>(() -> statement.executeQuery("SELECT 2"));
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        while (thread.getState() != Thread.State.WAITING) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return task;
    }

    private static Throwable failure(FutureTask<?> task) throws InterruptedException {
        try {
            task.get();
            return new AssertionError("no failure");
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    @Test
    void shouldNotCancelTheStatementOfAnotherThread() throws Exception {
        FutureTask<ResultSet> first = runLong(connection.createStatement());
        Statement second = connection.createStatement();
        FutureTask<ResultSet> waiting = runWaiting(second);
        second.cancel();
        assertThat(middleware.connections()).as("no connection for a cancel").isEqualTo(2);
        end.countDown();
        assertThat(first.get().next()).isTrue();
        assertThat(waiting.get().next()).isTrue();
    }

    @Test
    void shouldNotRunAStatementThatIsClosedWhileItWaits() throws Exception {
        FutureTask<ResultSet> first = runLong(connection.createStatement());
        Statement second = connection.createStatement();
        FutureTask<ResultSet> waiting = runWaiting(second);
        second.close();
        assertThat(middleware.connections()).as("no connection for a cancel").isEqualTo(2);
        end.countDown();
        assertThat(first.get().next()).isTrue();
        assertThat(failure(waiting)).isInstanceOf(SQLException.class).hasMessage("This statement has been closed.");
        assertThat(middleware.statements()).containsExactly(LONG);
    }

    /** The cancel comes too late: the middleware answers as if there had been none. */
    @Test
    void shouldThrowFromAQueryWhoseStatementIsClosedMeanwhile() throws Exception {
        Statement statement = connection.createStatement();
        FutureTask<ResultSet> query = runLong(statement);
        statement.close();
        assertThat(statement.isClosed()).isTrue();
        end.countDown();
        assertThat(failure(query)).isInstanceOf(SQLException.class).hasMessage("This statement has been closed.");
    }

    @Test
    void shouldEndARunningStatementByClosingTheConnection() throws Exception {
        FutureTask<ResultSet> query = runLong(connection.createStatement());
        FutureTask<ResultSet> waiting = runWaiting(connection.createStatement());
        connection.close();
        assertThat(connection.isClosed()).isTrue();
        assertThat(failure(query)).isInstanceOf(SQLException.class);
        assertThat(failure(waiting)).isInstanceOf(SQLException.class).hasMessage("This connection has been closed.");
    }

    /** A wait would not end, because the statement does not end. */
    @Test
    void shouldAnswerWithoutWaitingForAStatementOfAnotherThread() throws Exception {
        Statement warned = connection.createStatement();
        warned.execute("WARNING");
        Statement other = connection.createStatement();
        ResultSet rows = other.executeQuery("SELECT 1");
        rows.next();
        Statement statement = connection.createStatement();
        PreparedStatement prepared = connection.prepareStatement("SELECT ?");
        prepared.setInt(1, 5);
        FutureTask<ResultSet> query = runLong(statement);

        assertThat((Throwable) statement.getWarnings()).isNull();
        statement.clearWarnings();
        assertThat((Throwable) warned.getWarnings()).hasMessage("careful");
        assertThat(statement.isClosed()).isFalse();
        assertThat(statement.getQueryTimeout()).isZero();
        assertThat(statement.getResultSet()).isNull();
        assertThat(statement.getUpdateCount()).isEqualTo(-1);
        assertThat(statement.toString()).isNotEmpty();
        prepared.setInt(1, 6);
        assertThat(prepared).hasToString("SELECT ('6'::int4)");
        assertThat(rows.getInt(1)).isEqualTo(1);
        assertThat(rows.next()).as("a row that has arrived").isTrue();
        assertThat(connection.getAutoCommit()).isTrue();
        assertThat(connection.isReadOnly()).isFalse();
        assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
        assertThat((Throwable) connection.getWarnings()).isNull();
        assertThat(connection.getMetaData().getDatabaseProductName()).isEqualTo("PostgreSQL");
        assertThat(connection.isClosed()).isFalse();
        connection.setNetworkTimeout(Runnable::run, 100_000);
        assertThat(connection.getNetworkTimeout()).isEqualTo(100_000);
        assertThat(connection.isValid(1)).as("not answered within a second").isFalse();
        rows.close();
        other.close();
        assertThat(middleware.requests(CloseCursor.class)).isEmpty();
        assertThat(query).isNotDone();

        end.countDown();
        assertThat(query.get().next()).isTrue();
        connection.createStatement().execute("SELECT 3");
        assertThat(middleware.requests(CloseCursor.class)).containsExactly(new CloseCursor(7));
    }

    @Test
    void shouldReturnTheTextOfAPreparedStatementThatRunsWithoutItsValues() throws Exception {
        PreparedStatement statement = connection.prepareStatement(LONG);
        FutureTask<ResultSet> query = start(statement::executeQuery);
        running.await();
        assertThat(statement).hasToString(LONG);
        assertThatThrownBy(() -> statement.unwrap(Thread.class)).isInstanceOf(SQLException.class);
        end.countDown();
        assertThat(query.get().next()).isTrue();
    }

    @Test
    void shouldDeliverEachRowToOneOfTheThreadsThatReadAResult() throws Exception {
        Object[][] numbers = new Object[2_000][1];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i][0] = i;
        }
        middleware.answering(request -> request instanceof Execute
                ? executed(IDLE, ScriptedMiddleware.rowset(List.of(integer("n")), numbers))
                : null);
        ResultSet rows = connection.createStatement().executeQuery("SELECT n FROM numbers");
        Callable<Integer> read = () -> {
            int count = 0;
            while (rows.next()) {
                count++;
            }
            return count;
        };
        FutureTask<Integer> one = start(read);
        FutureTask<Integer> other = start(read);
        assertThat(one.get() + other.get()).isEqualTo(numbers.length);
    }
}
