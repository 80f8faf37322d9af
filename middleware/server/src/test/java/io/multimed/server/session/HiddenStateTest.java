// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.server.failure.SmallPoolTest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * State of an engine's session that the text of a statement does not show: by functions, procedures, views, triggers,
 * parameters and computed names. The state remains with its client, and no other client has it. The master has only
 * two connections.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("standbys")
class HiddenStateTest extends SmallPoolTest {
    private final EngineSql sessions;

    HiddenStateTest(String engine) {
        sessions = EngineSql.of(engine, "sessions");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(engine, 2, "CREATE TABLE thing (id int PRIMARY KEY)", "INSERT INTO thing VALUES (1)");
        cluster.run(EngineSql.of(engine, "sessions").statements("hidden setup"));
        cluster.awaitApplied();
    }

    @Test
    @Tag("exhaustive")
    void shouldKeepHiddenStateWithItsClient() throws SQLException {
        SoftAssertions softly = new SoftAssertions();
        for (String line : sessions.statements("hidden states")) {
            String[] parts = line.split(" \\| ", -1);
            for (boolean autoCommit : new boolean[] {true, false}) {
                assertKept(softly, line, parts, autoCommit);
            }
        }
        softly.assertAll();
    }

    private static void assertKept(SoftAssertions softly, String line, String[] parts, boolean autoCommit)
            throws SQLException {
        String ask = parts[1];
        try (Connection client = cluster.connect();
                Connection other = cluster.connect()) {
            client.setAutoCommit(autoCommit);
            run(client, parts[0]);
            if (!autoCommit) {
                client.commit();
                client.setAutoCommit(true);
            }
            softly.assertThat(cluster.pinned()).as(line).startsWith("1 (").contains(parts[3] + " 1");
            softly.assertThat(text(client, ask)).as(line).isEqualTo(parts[2]);
            softly.assertThat(answer(other, ask)).as("another client: " + line).isNotEqualTo(parts[2]);
        }
        cluster.awaitUnpinned();
        try (Connection next = cluster.connect();
                Connection last = cluster.connect()) {
            next.setAutoCommit(false);
            run(next, "UPDATE thing SET id = id WHERE id = 1");
            softly.assertThat(answer(next, ask)).as("the next client: " + line).isNotEqualTo(parts[2]);
            softly.assertThat(answer(last, ask)).as("the last client: " + line).isNotEqualTo(parts[2]);
            next.rollback();
        }
        cluster.run("DELETE FROM hidden WHERE id > 1");
    }

    private static String answer(Connection connection, String query) {
        try {
            return String.valueOf(text(connection, query));
        } catch (SQLException e) {
            return String.valueOf(e.getSQLState());
        }
    }

    @Test
    void shouldKeepLocksWhoseNamesAreParametersUntilTheyAreReleased() throws SQLException {
        for (String line : sessions.statements("hidden states with parameters")) {
            String[] parts = line.split(" \\| ", -1);
            try (Connection client = cluster.connect();
                    Connection other = cluster.connect()) {
                for (int round = 0; round < 3; round++) {
                    bound(client, parts[0], "lock " + round);
                    assertThat(bound(client, parts[1], "lock " + round))
                            .as(line)
                            .isEqualTo(parts[2]);
                    assertThat(bound(other, parts[1], "lock " + round)).as(line).isNotEqualTo(parts[2]);
                    assertThat(cluster.pinned()).as(line).startsWith("1 (").contains("locks 1");
                    bound(client, parts[3], "lock " + round);
                    assertThat(cluster.pinned()).as(line).isEmpty();
                }
                bound(client, parts[0], "lock");
                run(client, sessions.statement("all hidden locks released"));
                assertThat(cluster.pinned()).as(line).isEmpty();
            }
        }
    }

    private static String bound(Connection connection, String sql, String parameter) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, parameter);
            if (!statement.execute()) {
                return "";
            }
            try (ResultSet row = statement.getResultSet()) {
                row.next();
                return String.valueOf(row.getString(1));
            }
        }
    }
}
