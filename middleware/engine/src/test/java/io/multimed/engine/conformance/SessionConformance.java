// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.dialect.LastKeys;
import io.multimed.engine.dialect.SessionWatch;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.sql.Classification;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** Tests that the state that a client leaves in an engine session is found, and that no other state is reported. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SessionConformance extends ConformanceTest {
    @BeforeAll
    void makeThing() throws SQLException {
        replication()
                .run("CREATE TABLE thing (id INT PRIMARY KEY, v VARCHAR(40))", "INSERT INTO thing VALUES (1, 'a')");
        replication().play(words("sessions").section("setup"));
    }

    /** Lines of sessions.sql: the statement that leaves state, the one that removes it, and its description. */
    @TestFactory
    Stream<DynamicTest> shouldFindStateAndItsEnd() {
        return Stream.of(words("sessions").statements("states"))
                .map(line -> line.split(" \\| "))
                .filter(parts -> isListed(parts[0]))
                .map(parts -> DynamicTest.dynamicTest(parts[0], () -> assertFound(parts[0], parts[1], parts[2])));
    }

    /**
     * After a statement that may have changed any setting, the client keeps its session, even if the engine lists no
     * change.
     */
    private boolean isListed(String sql) {
        Classification found = replication().classify(sql);
        return !found.kind().isDispatchers() && !found.settings().contains(Classification.ANY_SETTING);
    }

    private void assertFound(String begin, String end, String shown) throws SQLException {
        SqlDialect dialect = replication().dialect();
        Connection connection = replication().connect();
        try {
            connection.setAutoCommit(true);
            SessionWatch watch = dialect.sessions().watch(connection);
            dialect.sessions().beginUse(connection);
            assertThat(watch.inspect(connection, Set.of()).held()).isEmpty();
            Set<String> settings = new LinkedHashSet<>(run(connection, begin));
            if (shown.equals("settings") && zoneOf(watch, connection, settings)) {
                return; // a time zone that any session can be given is not held
            }
            assertThat(watch.inspect(connection, settings).held()).contains(shown);
            run(connection, end);
            assertThat(watch.inspect(connection, settings).held()).isEmpty();
        } finally {
            replication().evict(connection);
        }
    }

    private static boolean zoneOf(SessionWatch watch, Connection connection, Set<String> settings) throws SQLException {
        return !watch.inspect(connection, settings).zone().isEmpty();
    }

    /** Runs a statement; returns the settings that its classification names. */
    private Set<String> run(Connection connection, String sql) throws SQLException {
        Classification found = replication().classify(sql);
        connection.setAutoCommit(false);
        if (found.kind() == Classification.Kind.DISCARD_ALL) {
            connection.setAutoCommit(true);
        }
        Sql.run(connection, sql);
        if (!connection.getAutoCommit()) {
            replication().commit(connection);
            connection.setAutoCommit(true);
        }
        return found.settings();
    }

    @Test
    void shouldSetTheTimeZoneOfASession() throws SQLException {
        SqlDialect dialect = replication().dialect();
        String zone = dialect.sessions().zone("Asia/Kathmandu");
        Assumptions.assumeFalse(zone.isEmpty(), "sessions of this engine keep its time zone");
        Connection connection = replication().connect();
        try {
            dialect.sessions().setZone(connection, zone);
            assertThat(dialect.sessions()
                            .watch(connection)
                            .inspect(connection, Set.of())
                            .zone())
                    .isEqualTo(zone);
        } finally {
            replication().evict(connection);
        }
    }

    @Test
    void shouldRememberAndRestoreTheLastKey() throws SQLException {
        Optional<LastKeys> keys = replication().dialect().sessions().lastKeys();
        Assumptions.assumeTrue(keys.isPresent(), "statements of this engine ask for the key in their own transaction");
        replication().run("CREATE TABLE keyed (id " + words("words").statement("key") + ", v INT)");
        Connection connection = replication().connect();
        try (Statement insert = connection.createStatement()) {
            insert.execute("INSERT INTO keyed (v) VALUES (1)");
            assertThat(keys.get().mayHaveChanged(insert)).isTrue();
            String key = keys.get().take(connection);
            assertThat(key).isEqualTo("1");
            replication().commit(connection);
            keys.get().restore(connection, "42");
            assertThat(keys.get().take(connection)).isEqualTo("42");
        } finally {
            replication().evict(connection);
        }
    }

    @Test
    void shouldAcceptTheDefaultQuoting() throws SQLException {
        try (Connection connection = replication().connect()) {
            replication().dialect().sessions().requireDefaultQuoting(connection);
        }
    }

    @Test
    void shouldNameTheOriginOfAColumn() throws SQLException {
        SqlDialect dialect = replication().dialect();
        try (Connection connection = replication().connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT v AS shown, 1 AS computed FROM thing")) {
            assertThat(dialect.catalog().baseColumn(rows.getMetaData(), 1)).isEqualTo("v");
            assertThat(dialect.catalog().baseSchema(rows.getMetaData(), 1))
                    .isEqualTo(words("words").statement("home"));
            assertThat(dialect.catalog().baseSchema(rows.getMetaData(), 2)).isEmpty();
        }
    }

    @Test
    void shouldDescribeTables() throws SQLException {
        try (Connection connection = replication().connect();
                ResultSet columns = replication()
                        .dialect()
                        .catalog()
                        .catalog(connection)
                        .getColumns(connection.getCatalog(), null, "thing", "%")) {
            assertThat(columns.next()).isTrue();
            assertThat(columns.getString("COLUMN_NAME")).isEqualTo("id");
        }
    }

    @Test
    void shouldStreamAResultAndBreakItOff() throws SQLException {
        SqlDialect dialect = replication().dialect();
        String query = "SELECT a.i, b.i FROM series AS a CROSS JOIN series AS b";
        try (Connection connection = replication().connect();
                Statement statement = connection.createStatement()) {
            dialect.values().stream(statement, query, 10);
            ResultSet rows = statement.executeQuery(query);
            assertThat(rows.next()).isTrue();
            dialect.streaming().endStreaming(connection);
            assertThat(Sql.text(connection, "SELECT COUNT(*) FROM thing")).isEqualTo("1");
            connection.rollback();
        }
    }

    @Test
    void shouldKnowWhetherATransactionIsOpen() throws SQLException {
        try (Connection connection = replication().connect()) {
            Sql.run(connection, "UPDATE thing SET v = 'b' WHERE id = 1");
            assertThat(replication().dialect().transactions().hasTransaction(connection))
                    .isTrue();
            connection.rollback();
        }
    }

    @Test
    void shouldIsolateOneTransaction() throws SQLException {
        SqlDialect dialect = replication().dialect();
        try (Connection connection = replication().connect();
                Connection other = replication().connect()) {
            dialect.transactions().isolateOnce(connection, Connection.TRANSACTION_REPEATABLE_READ);
            assertThat(Sql.text(connection, "SELECT v FROM thing WHERE id = 1")).isEqualTo("a");
            Sql.run(other, "UPDATE thing SET v = 'changed' WHERE id = 1");
            replication().commit(other);
            assertThat(Sql.text(connection, "SELECT v FROM thing WHERE id = 1")).isEqualTo("a");
            connection.rollback();
            Sql.run(other, "UPDATE thing SET v = 'a' WHERE id = 1");
            replication().commit(other);
        }
        replication().assertSame();
    }
}
