// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static io.multimed.engine.conformance.Sql.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** At READ COMMITTED, reads of a read-write transaction run on satellites until a node begins the transaction. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class ReadsBeforeWriteTest {
    private static final String ON_SATELLITE = "satellite";
    private static final String ON_MASTER = "master";
    private static final int ROWS = 300;

    private static TestCluster cluster;

    private final boolean failsWholly;
    private Connection client;

    ReadsBeforeWriteTest(String engine) {
        this.failsWholly = engine.equals("postgresql");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine)).awaitOnline();
        cluster.run("CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL)");
        cluster.insert("INSERT INTO account VALUES (?, 0)", 1, ROWS);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        cluster.run("UPDATE account SET balance = 0");
        client = cluster.connect();
        client.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        client.setAutoCommit(false);
        awaitSatelliteReads(client);
    }

    @AfterEach
    void disconnect() throws SQLException {
        client.close();
    }

    /** Waits until the statement's names are known and the satellite is online. */
    private static void awaitSatelliteReads(Connection connection) {
        await().until(() -> {
            balance(connection, 1);
            boolean read = node(connection).equals(ON_SATELLITE);
            connection.rollback();
            return read;
        });
    }

    private static int balance(Connection connection, int id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT balance FROM account WHERE id = ?")) {
            select.setInt(1, id);
            try (ResultSet rows = select.executeQuery()) {
                assertThat(rows.next()).isTrue();
                return rows.getInt(1);
            }
        }
    }

    private static int add(Connection connection, int id, int amount) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?")) {
            update.setInt(1, amount);
            update.setInt(2, id);
            return update.executeUpdate();
        }
    }

    private static String why(Connection connection) throws SQLException {
        return connection.unwrap(MultimedConnection.class).why();
    }

    private static int active() throws SQLException {
        try (Connection other = cluster.connect();
                Statement statement = other.createStatement();
                ResultSet rows = statement.executeQuery("SHOW MULTIMED")) {
            do {
                assertThat(rows.next()).isTrue();
            } while (!rows.getString("node").equals(ON_MASTER));
            return rows.getInt("active");
        }
    }

    private String text(String sql) throws SQLException {
        return text(client, sql);
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    @Test
    void shouldReadOnASatelliteUntilTheFirstWriteAndThenSeeItsOwnChanges() throws SQLException {
        assertThat(balance(client, 1)).isZero();
        assertThat(node(client)).isEqualTo(ON_SATELLITE);
        assertThat(text("SELECT count(*) FROM account WHERE balance = 0")).isEqualTo(String.valueOf(ROWS));
        assertThat(node(client)).as("a statement without parameters").isEqualTo(ON_SATELLITE);
        add(client, 1, 5);
        assertThat(node(client)).isEqualTo(ON_MASTER);
        assertThat(balance(client, 1)).isEqualTo(5);
        assertThat(balance(client, 2)).isZero();
        assertThat(why(client)).isEqualTo("the transaction is on this node");
        client.commit();
        try (Connection other = cluster.connect()) {
            assertThat(balance(other, 1)).isEqualTo(5);
        }
        balance(client, 1);
        assertThat(node(client)).as("the next transaction").isEqualTo(ON_SATELLITE);
    }

    @Test
    void shouldSeeEachCommitOfOthersImmediately() throws SQLException {
        try (Connection other = cluster.connect()) {
            for (int i = 1; i <= 100; i++) {
                add(other, 3, 1);
                assertThat(balance(client, 3)).isEqualTo(i);
            }
        }
        add(client, 3, 1);
        assertThat(balance(client, 3)).isEqualTo(101);
        client.rollback();
        assertThat(balance(client, 3)).isEqualTo(100);
    }

    @Test
    void shouldBeginNoTransactionOnTheMasterForReads() throws SQLException {
        balance(client, 1);
        assertThat(active()).isZero();
        assertThatThrownBy(() -> client.setReadOnly(true)).hasMessageContaining("in the middle of a transaction");
        client.commit();
        client.setReadOnly(true);
        balance(client, 1);
        client.rollback();
        client.setReadOnly(false);
    }

    @Test
    void shouldEndATransactionOfReadsAfterAPing() throws SQLException {
        balance(client, 1);
        assertThat(client.isValid(10)).isTrue();
        add(client, 1, 1);
        assertThat(client.isValid(10)).isTrue();
        client.commit();
        balance(client, 1);
        assertThat(client.isValid(10)).isTrue();
        client.commit();
        try (Connection other = cluster.connect()) {
            assertThat(balance(other, 1)).isEqualTo(1);
        }
    }

    @Test
    void shouldLetOneTimeHoldForTheWholeTransaction() throws SQLException {
        assumeTrue(failsWholly, "now() is the time of the statement");
        String first = text("SELECT now() FROM account WHERE id = 1");
        assertThat(why(client)).contains("may depend on more than rows");
        assertThat(text("SELECT now() FROM account WHERE id = 1")).isEqualTo(first);
        client.rollback();
        try (PreparedStatement select =
                client.prepareStatement("SELECT CAST(? AS timestamptz) FROM account WHERE id = 1")) {
            select.setString(1, " now ");
            select.executeQuery().close();
        }
        assertThat(node(client)).isEqualTo(ON_MASTER);
        client.rollback();
    }

    @Test
    void shouldLeaveTheStateAfterAnErrorToTheEngine() throws SQLException {
        balance(client, 1);
        assertThatThrownBy(() -> text("SELECT (SELECT balance FROM account) FROM account"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("more than");
        assertThat(node(client)).isEqualTo(ON_MASTER);
        assertStateAfterError();
    }

    /** After an error, some engines let a transaction continue, and others only end. */
    private void assertStateAfterError() throws SQLException {
        if (failsWholly) {
            assertThatThrownBy(() -> balance(client, 1))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failure -> assertThat(failure.getSQLState()).isEqualTo("25P02"))
                    .hasMessage(
                            "ERROR: current transaction is aborted, commands ignored until end of transaction block");
            assertThatThrownBy(() -> add(client, 1, 1)).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> client.setSavepoint("s")).isInstanceOf(SQLException.class);
            client.commit(); // rolls back
        } else {
            add(client, 1, 1);
            client.commit();
        }
        int before = balance(client, 1);
        add(client, 1, 1);
        client.commit();
        assertThat(balance(client, 1)).isEqualTo(before + 1);
    }

    private void readUntilTimeout() throws SQLException {
        try (Statement statement = client.createStatement()) {
            statement.setQueryTimeout(1);
            assertThatThrownBy(
                            () -> statement.executeQuery(
                                    "SELECT count(*) FROM account a, account b, account c, account d WHERE a.id + b.id + c.id < d.id"))
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void shouldNotRepeatAReadThatTookTooLong() throws SQLException {
        balance(client, 1);
        readUntilTimeout();
        assertThat(active()).as("transactions on the master").isZero();
        assertStateAfterError();
    }

    @Test
    void shouldCommitNothingByRollbackAfterACanceledRead() throws SQLException {
        balance(client, 1);
        readUntilTimeout();
        client.rollback();
        client.setAutoCommit(true);
        add(client, 4, 1);
        assertThat(balance(client, 4)).isEqualTo(1);
    }

    @Test
    void shouldContinueAfterASavepoint() throws SQLException {
        balance(client, 1);
        Savepoint savepoint = client.setSavepoint("before");
        add(client, 1, 1);
        client.rollback(savepoint);
        assertThat(balance(client, 1)).isZero();
        assertThat(node(client)).isEqualTo(ON_MASTER);
        add(client, 1, 2);
        client.commit();
        assertThat(balance(client, 1)).isEqualTo(2);
        client.commit();
    }

    @Test
    void shouldRunTransactionsThatSqlBegins() throws SQLException {
        client.setAutoCommit(true);
        try (Statement statement = client.createStatement()) {
            statement.execute("BEGIN");
            balance(client, 1);
            assertThat(node(client)).isEqualTo(ON_SATELLITE);
            add(client, 1, 1);
            assertThat(balance(client, 1)).isEqualTo(1);
            statement.execute("ROLLBACK");
            assertThat(balance(client, 1)).isZero();
            statement.execute("BEGIN");
            balance(client, 1);
            statement.execute("COMMIT");
            add(client, 1, 1);
        }
        try (Connection other = cluster.connect()) {
            assertThat(balance(other, 1)).as("outside of a transaction again").isEqualTo(1);
        }
    }

    @Test
    void shouldReadTheRestOfAResultAfterTheFirstWrite() throws SQLException {
        List<Integer> seen = new ArrayList<>();
        try (PreparedStatement select = client.prepareStatement("SELECT balance FROM account ORDER BY id")) {
            select.setFetchSize(10);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    seen.add(rows.getInt(1));
                    if (seen.size() == 20) {
                        add(client, ROWS, 7);
                    }
                }
            }
        }
        assertThat(seen).as("the snapshot of the query").hasSize(ROWS).containsOnly(0);
        client.commit();
        assertThat(balance(client, ROWS)).isEqualTo(7);
        client.commit();
    }

    @Test
    void shouldReadOnTheMasterAtSerializable() throws SQLException {
        client.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        balance(client, 1);
        assertThat(why(client)).isEqualTo("serializable transactions run on the master");
        client.rollback();
    }

    @Test
    void shouldReadOnTheMasterWithLocksAndSessionState() throws SQLException {
        text("SELECT balance FROM account WHERE id = 1 FOR UPDATE");
        balance(client, 2);
        assertThat(node(client)).as("after a lock").isEqualTo(ON_MASTER);
        client.rollback();
        try (Connection other = cluster.connect();
                Statement statement = other.createStatement()) {
            other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            statement.execute("CREATE TEMPORARY TABLE mine (id int)");
            other.setAutoCommit(false);
            balance(other, 1);
            assertThat(node(other)).as("with a temporary table").isEqualTo(ON_MASTER);
            other.rollback();
        }
    }
}
