// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.multimed.engine.dialect.ErrorClassifier;
import io.multimed.engine.dialect.ErrorClassifier.AfterError;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tests that the classifier interprets the errors of the engine and of its driver correctly. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ErrorConformance extends ConformanceTest {
    private static final Logger LOG = LoggerFactory.getLogger(ErrorConformance.class);

    @BeforeAll
    void makeTable() throws SQLException {
        replication()
                .run("CREATE TABLE account (id INT PRIMARY KEY, n INT)", "INSERT INTO account VALUES (1, 1), (2, 2)");
        replication().play(words("conformance").section("a function that changes the table account"));
    }

    private ErrorClassifier errors() {
        return replication().dialect().errors();
    }

    private static SQLException failure(Connection connection, String sql) {
        SQLException failure = catchThrowableOfType(SQLException.class, () -> Sql.run(connection, sql));
        return Objects.requireNonNull(failure, () -> "no error: " + sql);
    }

    @Test
    void shouldDistinguishAnErrorOfAStatementFromABrokenConnection() throws SQLException {
        try (Connection connection = replication().connect()) {
            SQLException duplicate = failure(connection, "INSERT INTO account VALUES (1, 5)");
            assertThat(errors().isConnectionFailure(duplicate)).isFalse();
            assertThat(errors().isReadOnlyRefusal(duplicate)).isFalse();
            assertThat(errors().hasTimedOut(duplicate)).isFalse();
            assertThat(errors().isDueToStatement(duplicate)).isFalse();
            assertThat(errors().isStalePlan(duplicate)).isFalse();
            assertThat(errors().mayBeMissingOnSatellite(duplicate)).isFalse();
            connection.rollback();
        }
    }

    /** The state that the classifier reports must be the state that the transaction has. */
    @Test
    void shouldKnowTheStateOfTheTransactionAfterAnError() throws SQLException {
        try (Connection connection = replication().connect()) {
            Sql.run(connection, "UPDATE account SET n = 10 WHERE id = 1");
            AfterError after = errors().afterError(failure(connection, "INSERT INTO account VALUES (2, 5)"));
            if (after == AfterError.GOES_ON) {
                assertThat(Sql.text(connection, "SELECT n FROM account WHERE id = 1"))
                        .isEqualTo("10");
            } else {
                failure(connection, "SELECT n FROM account WHERE id = 1");
            }
            connection.rollback();
            assertThat(Sql.text(connection, "SELECT n FROM account WHERE id = 1"))
                    .isEqualTo("1");
            connection.rollback();
        }
    }

    @Test
    void shouldSendStatementsWithUnknownNamesToTheMaster() throws SQLException {
        try (Connection connection = replication().connect()) {
            for (String sql :
                    new String[] {"SELECT * FROM nowhere", "SELECT nothing FROM account", "SELECT nofunction(1)"}) {
                assertThat(errors().mayBeMissingOnSatellite(failure(connection, sql)))
                        .as(sql)
                        .isTrue();
                connection.rollback();
            }
        }
    }

    @Test
    void shouldRefuseChangesOnReadersConnections() throws SQLException {
        try (ConnectionPool readers = replication()
                        .engine()
                        .masterReaderPool(
                                replication().masterAccess(), 2, replication().epoch());
                Connection reader = readers.getConnection()) {
            replication().dialect().transactions().beginRead(reader);
            assertThat(errors().isReadOnlyRefusal(failure(reader, "SELECT changing()")))
                    .isTrue();
            if (!reader.getAutoCommit()) {
                reader.rollback();
            }
            assertThat(Sql.text(reader, "SELECT n FROM account WHERE id = 1")).isEqualTo("1");
        }
    }

    @Test
    void shouldForbidAndAllowChangesOfOneTransaction() throws SQLException {
        try (Connection connection = replication().connect()) {
            replication().dialect().transactions().forbidChanges(connection);
            assertThat(errors().isReadOnlyRefusal(failure(connection, "UPDATE account SET n = 5")))
                    .isTrue();
            connection.rollback();
            replication().dialect().transactions().allowChanges(connection);
            Sql.run(connection, "UPDATE account SET n = n WHERE id = 1");
            connection.rollback();
        }
    }

    @Test
    void shouldRecognizeABrokenConnection() throws SQLException {
        Connection connection = replication().connect();
        int session = replication().engine().session(connection);
        assertThat(session).isPositive();
        try (Connection own = replication().engine().connect(replication().masterAccess())) {
            replication().store().fencing().endSessions(own, Set.of(session));
        }
        assertThat(errors().isConnectionFailure(failure(connection, "SELECT 1")))
                .isTrue();
        replication().evict(connection);
    }

    @Test
    void shouldRecognizeAServerThatIsAway() {
        NodeAccess here = replication().masterAccess();
        NodeAccess away = new NodeAccess("away", words("words").statement("dead URL"), here.user(), here.password());
        SQLException failure = catchThrowableOfType(
                SQLException.class, () -> replication().engine().connect(away));
        assertThat(errors().isConnectionFailure(failure)).isTrue();
        assertThat(NodeAccess.isRefusal(failure)).isFalse();
    }

    @Test
    void shouldRecognizeAWrongPassword() {
        NodeAccess here = replication().masterAccess();
        SQLException failure = catchThrowableOfType(
                SQLException.class, () -> replication().engine().connect(here.as("nobody_of_this_name", "wrong")));
        assertThat(NodeAccess.isRefusal(failure)).isTrue();
    }

    /** In a commit group all others wait: the engine itself must give up. */
    @Test
    void shouldGiveUpWaitingInACommitGroup() throws SQLException {
        try (ConnectionPool group = replication()
                        .engine()
                        .groupPool(
                                replication().masterAccess(), 1, replication().epoch());
                Connection holder = replication().connect();
                Connection member = group.getConnection()) {
            Sql.run(holder, "UPDATE account SET n = 20 WHERE id = 2");
            if (replication().extractor().piggybackCommit().isEmpty()) { // the middleware cancels the statement
                CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS).execute(() -> cancel(member));
            }
            long begin = System.nanoTime();
            SQLException failure = failure(member, "UPDATE account SET n = 30 WHERE id = 2");
            assertThat(errors().hasTimedOut(failure)).isTrue();
            assertThat(errors().isConnectionFailure(failure)).isFalse();
            assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin))
                    .isLessThan(5);
            holder.rollback();
            if (!member.getAutoCommit()) {
                member.rollback();
            }
        }
    }

    private void cancel(Connection connection) {
        try {
            replication().dialect().streaming().cancel(connection);
        } catch (SQLException e) {
            LOG.debug("the statement has ended and its connection is closed", e);
        }
    }

    @Test
    void shouldCancelAStatement() throws Exception {
        try (Connection connection = replication().connect();
                Statement statement = connection.createStatement()) {
            long begin = System.nanoTime();
            CompletableFuture<Void> sleeping = CompletableFuture.runAsync(() -> {
                try {
                    statement.execute(words("words").statement("sleep").formatted(20));
                } catch (SQLException e) {
                    throw new CompletionException(e);
                }
            });
            while (!sleeping.isDone()) {
                TimeUnit.MILLISECONDS.sleep(50);
                replication().dialect().streaming().cancel(connection);
            }
            assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin))
                    .isLessThan(10);
            try {
                sleeping.join();
            } catch (CompletionException e) {
                assertThat(errors().isConnectionFailure((SQLException) e.getCause()))
                        .isFalse();
            }
            TimeUnit.MILLISECONDS.sleep(100); // a late cancel meets no statement
            connection.rollback();
            assertThat(Sql.text(connection, "SELECT COUNT(*) FROM account")).isEqualTo("2");
            connection.rollback();
        }
    }

    @Test
    void shouldLeaveErrorsOfOtherOriginsAlone() {
        SQLException foreign = new SQLException("something else", "HY000");
        assertThat((Object) replication().engine().clarify(foreign)).isNull();
        assertThat(replication().engine().errorFields(foreign).values()).isEmpty();
        assertThat(errors().isConnectionFailure(foreign)).isFalse();
    }
}
