// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.node;
import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.testing.ParallelClients;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Cases of the package {@code consistency} for which PostgreSQL has no counterpart: transactions that begin on a
 * satellite, cached reads, and statements that run in commit groups.
 */
@Tag("slow")
@Timeout(300)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class FamilyConsistencyTest {
    /** Rounds of BENCHMARK that take far longer than a commit group waits. */
    private static final int SLOW_ROUNDS = 4_000_000;

    private static final int ENOUGH_TO_BE_FAST = 40;
    private static final AtomicInteger TEXTS = new AtomicInteger();

    private static TestCluster cluster;

    private final String engine;
    private Connection client;
    private Connection other;

    FamilyConsistencyTest(String engine) {
        this.engine = engine;
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                cache: {size: 16m}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine)).awaitOnline();
        cluster.run(
                "CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL)",
                "CREATE TABLE book (id int PRIMARY KEY, c varchar(20))");
        cluster.insert("INSERT INTO account VALUES (?, 100)", 1, 10);
        cluster.insert("INSERT INTO book VALUES (?, 'v')", 1, 3);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        client = transactions();
        other = cluster.connect();
        run(other, "UPDATE account SET balance = 100");
        await("reads run on the satellite: after DDL, the names of the tables are read again")
                .until(() -> {
                    balance(client, 1);
                    boolean read = node(client).equals("satellite");
                    client.rollback();
                    return read;
                });
    }

    @AfterEach
    void disconnect() throws SQLException {
        client.close();
        other.close();
    }

    private static Connection transactions() throws SQLException {
        Connection connection = cluster.connect();
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
        return connection;
    }

    /** Reads by a text that no earlier transaction has had, so that nothing is predicted. */
    private static int balance(Connection connection, int id) throws SQLException {
        String sql = "SELECT balance, %d FROM account WHERE id = ?".formatted(TEXTS.incrementAndGet());
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setInt(1, id);
            try (ResultSet rows = select.executeQuery()) {
                assertThat(rows.next()).isTrue();
                return rows.getInt(1);
            }
        }
    }

    private static void set(Connection connection, int id, int balance) throws SQLException {
        run(connection, "UPDATE account SET balance = %d WHERE id = %d".formatted(balance, id));
    }

    @Test
    void shouldSayHowToAskAboutTheStatementBefore() throws SQLException {
        other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        other.setAutoCommit(false);
        text(other, "SELECT id FROM account ORDER BY id LIMIT 2");
        assertThatThrownBy(() -> text(other, "SELECT FOUND_ROWS()")).hasMessageContaining("/*+ multimed: master */");
        text(other, "/*+ multimed: master */ SELECT id FROM account ORDER BY id LIMIT 2");
        assertThat(text(other, "SELECT FOUND_ROWS()")).isEqualTo("2");
        other.rollback();
    }

    @Test
    void shouldNotAnswerAboutAStatementOnAnotherConnection() throws SQLException {
        balance(client, 1);
        assertThatThrownBy(() -> text(client, "SELECT FOUND_ROWS()")).hasMessageContaining("/*+ multimed: master */");
        assertThatThrownBy(() -> text(client, "SHOW WARNINGS")).hasMessageContaining("/*+ multimed: master */");
        assertThat(balance(client, 1)).isEqualTo(100);
        client.commit();
    }

    @Test
    void shouldKeepItsLevelAndModeIfSqlChangesThoseOfLaterTransactions() throws SQLException {
        balance(client, 1);
        run(client, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", "SET SESSION TRANSACTION READ ONLY");
        set(client, 1, 1);
        assertThat(balance(client, 2)).isEqualTo(100);
        set(other, 2, 7);
        assertThat(balance(client, 2)).as("one snapshot").isEqualTo(100);
        client.rollback();
    }

    @Test
    void shouldDependOnErrorsToo() throws SQLException {
        set(other, 1, 1);
        set(other, 2, 1);
        balance(client, 3);
        assertThatThrownBy(() -> text(
                        client, "SELECT (SELECT balance FROM account WHERE balance = 1) FROM account WHERE id = 3"))
                .hasMessageContaining("more than");
        set(other, 1, 2);
        assertThatThrownBy(() -> set(client, 3, 1))
                .isInstanceOf(SQLException.class)
                .extracting("SQLState")
                .isEqualTo("40001");
        client.rollback();
    }

    @Test
    void shouldRecognizeOtherNamesOfColumns() throws SQLException {
        for (int i = 0; i < 5; i++) {
            assertThat(values("SELECT c FROM book WHERE _rowid = ?")).containsExactly("v");
        }
        run(other, "UPDATE book SET id = 50 WHERE id = 1");
        assertThat(values("SELECT c FROM book WHERE _rowid = ?")).isEmpty();
        if (engine.equals("mysql")) { // which takes the two letters for one
            run(other, "CREATE TABLE dotted (v int, `\u0130d` int)", "INSERT INTO dotted VALUES (1, 1)");
            for (int i = 0; i < 5; i++) {
                values("SELECT id FROM dotted WHERE v = ?");
            }
            run(other, "UPDATE dotted SET `\u0130d` = 5");
            assertThat(values("SELECT id FROM dotted WHERE v = ?")).containsExactly("5");
            run(other, "DROP TABLE dotted");
        }
    }

    /** Returns the first column of a query with the parameter 1. */
    private List<String> values(String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (PreparedStatement statement = other.prepareStatement(sql)) {
            statement.setInt(1, 1);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    values.add(rows.getString(1));
                }
            }
        }
        return values;
    }

    @Test
    void shouldLeaveATableOfThisNameToTheEngine() throws SQLException {
        run(other, "CREATE TABLE route (id int PRIMARY KEY)");
        for (String sql : List.of("EXPLAIN route", "EXPLAIN route id")) {
            try (PreparedStatement statement = other.prepareStatement(sql);
                    ResultSet rows = statement.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString(1)).isEqualTo("id");
            }
        }
        run(other, "DROP TABLE route");
    }

    /**
     * MariaDB reports success and no row for an UPDATE that is canceled while the engine plans it. A statement that
     * delays its commit group is canceled; it then takes effect outside.
     */
    @Test
    void shouldChangeTheRowWhenItsGroupCancelsTheStatement() throws Exception {
        String slow = "UPDATE account SET balance = balance + 1 WHERE id = BENCHMARK(?, CRC32('a')) + 7";
        try (Connection satellite = cluster.direct("satellite");
                Connection master = cluster.direct("master");
                PreparedStatement update = other.prepareStatement(slow)) {
            long balance = 100;
            long before = ranInside();
            while (ranInside() == before) { // on a busy machine some executions exceed the time limit of a group
                update.setInt(1, 1);
                assertThat(update.executeUpdate()).isEqualTo(1);
                balance++;
            }
            update.setInt(1, SLOW_ROUNDS);
            assertThat(update.executeUpdate()).isEqualTo(1);
            balance++;
            cluster.awaitApplied();
            for (Connection node : List.of(master, satellite)) {
                assertThat(text(node, "SELECT balance FROM account WHERE id = 7"))
                        .isEqualTo(String.valueOf(balance));
            }
        }
    }

    private static long ranInside() {
        return cluster.middleware().commitCounts().inside();
    }

    @Test
    void shouldReturnTheKeyThatItGenerated() throws Exception {
        cluster.run("CREATE TABLE ticket (id int AUTO_INCREMENT PRIMARY KEY, v int)");
        Set<Long> keys = ConcurrentHashMap.newKeySet();
        ParallelClients.run(8, number -> {
            try (Connection connection = cluster.connect();
                    PreparedStatement insert = connection.prepareStatement("INSERT INTO ticket (v) VALUES (?)")) {
                for (int i = 0; i < ENOUGH_TO_BE_FAST; i++) {
                    insert.setInt(1, number);
                    insert.executeUpdate();
                    String key = text(connection, "SELECT LAST_INSERT_ID()");
                    assertThat(text(connection, "SELECT v FROM ticket WHERE id = " + key))
                            .isEqualTo(String.valueOf(number));
                    assertThat(keys.add(Long.valueOf(key))).isTrue();
                }
            }
        });
    }
}
