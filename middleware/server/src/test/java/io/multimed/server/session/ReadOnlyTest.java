// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.EngineSql.Statement;
import io.multimed.jdbc.MultimedDataSource;
import io.multimed.server.failure.SmallPoolTest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** A client that is read-only, by whatever means, changes nothing, by whatever statement. */
@Tag("slow")
@ParameterizedClass
@EachEngine
@Tag("standbys")
class ReadOnlyTest extends SmallPoolTest {
    private final EngineSql sessions;

    ReadOnlyTest(String engine) {
        sessions = EngineSql.of(engine, "sessions");
    }

    private interface Opening {
        Connection open() throws SQLException;
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        EngineSql sessions = EngineSql.of(engine, "sessions");
        start(engine, 3, sessions.statements("read-only setup"));
        if (sessions.section("read-only setup of sequences").notHere().isEmpty()) {
            cluster.run(sessions.statements("read-only setup of sequences"));
        }
        cluster.awaitApplied();
    }

    private List<String> changes() {
        List<String> changes = new ArrayList<>();
        for (String name : List.of("changes by any statement", "changes of sequences")) {
            EngineSql.Section section = sessions.section(name);
            if (section.notHere().isEmpty()) {
                section.statements().stream().map(Statement::text).forEach(changes::add);
            }
        }
        return changes;
    }

    @Test
    @Tag("exhaustive")
    void shouldRefuseChangesInReadOnlyTransactions() throws SQLException {
        Map<String, Opening> ways = new LinkedHashMap<>();
        ways.put("setReadOnly", () -> {
            Connection connection = cluster.connect();
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            return connection;
        });
        ways.put("START TRANSACTION", () -> opened("START TRANSACTION READ ONLY"));
        ways.put("session", () -> opened(sessions.statement("read-only session")));
        ways.put("session in a transaction", () -> {
            Connection connection = opened(sessions.statement("read-only session"));
            connection.setAutoCommit(false);
            return connection;
        });
        assertRefused(ways);
    }

    /** Tests MariaDB and MySQL: with PostgreSQL's own driver, a read-only connection changes rows in auto-commit. */
    @Test
    void shouldRefuseChangesOfReadOnlyConnectionsInAutoCommit() throws SQLException {
        EngineSql.Section section = sessions.section("read-only connections refuse changes in auto-commit");
        Assumptions.assumeTrue(section.notHere().isEmpty(), section.notHere());
        Map<String, Opening> ways = new LinkedHashMap<>();
        ways.put("setReadOnly", () -> {
            Connection connection = cluster.connect();
            connection.setReadOnly(true);
            return connection;
        });
        ways.put("property", () -> {
            Properties properties = new Properties();
            properties.setProperty("user", "tester");
            properties.setProperty("readOnly", "true");
            return DriverManager.getConnection(cluster.url(), properties);
        });
        ways.put("data source", () -> {
            MultimedDataSource source = new MultimedDataSource();
            source.setUrl(cluster.url());
            source.setUser("tester");
            source.setReadOnly(true);
            return source.getConnection();
        });
        ways.put("pinned", () -> {
            Connection connection = opened(sessions.statement("keep"));
            connection.setReadOnly(true);
            return connection;
        });
        assertRefused(ways);
        try (Connection connection = ways.get("setReadOnly").open();
                PreparedStatement batch = connection.prepareStatement("INSERT INTO counted VALUES (?, 1)")) {
            batch.setInt(1, 7);
            batch.addBatch();
            assertThatThrownBy(batch::executeBatch).isInstanceOf(SQLException.class);
            connection.setReadOnly(false);
            run(connection, "INSERT INTO counted VALUES (8, 1)", "DELETE FROM counted WHERE id = 8");
        }
    }

    private static Connection opened(String statement) throws SQLException {
        Connection connection = cluster.connect();
        run(connection, statement);
        return connection;
    }

    private void assertRefused(Map<String, Opening> ways) throws SQLException {
        SoftAssertions softly = new SoftAssertions();
        for (Map.Entry<String, Opening> way : ways.entrySet()) {
            for (String change : changes()) {
                for (boolean prepared : new boolean[] {false, true}) {
                    try (Connection connection = way.getValue().open()) {
                        SQLException refusal =
                                catchThrowableOfType(SQLException.class, () -> change(connection, change, prepared));
                        softly.assertThat(refusal == null ? "" : refusal.getSQLState())
                                .as("%s, %s, %s", way.getKey(), change, prepared)
                                .isIn("25006", "S1009", "0A000");
                        run(connection, "ROLLBACK");
                    }
                }
            }
        }
        try (Connection connection = cluster.connect()) {
            softly.assertThat(text(connection, "SELECT SUM(v * 100 + id) FROM counted"))
                    .isEqualTo("101");
        }
        softly.assertAll();
    }

    private static void change(Connection connection, String change, boolean prepared) throws SQLException {
        if (!prepared) {
            run(connection, change);
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(change)) {
            statement.execute();
        }
    }
}
