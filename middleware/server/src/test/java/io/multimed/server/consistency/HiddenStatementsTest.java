// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.server.failure.SmallPoolTest;
import io.multimed.server.testing.Copies;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Statements that are hidden behind comments, quotes, escapes and settings are detected before the engine executes
 * them; a text that only looks like several statements runs as one.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("exhaustive")
class HiddenStatementsTest extends SmallPoolTest {
    private static Copies copies;

    private final EngineSql hidden;

    HiddenStatementsTest(String engine) {
        hidden = EngineSql.of(engine, "hidden");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(engine, 3, "CREATE TABLE entry (id int PRIMARY KEY, n int)", "INSERT INTO entry VALUES (1, 0), (2, 0)");
        cluster.run(EngineSql.of(engine, "hidden").statements("setup"));
        copies = Copies.of(cluster, "satellite").mark();
    }

    @Test
    void shouldNotLetAHiddenStatementEndATransaction() throws SQLException {
        for (String line : hidden.statements("ends")) {
            try (Connection connection = cluster.connect()) {
                connection.setAutoCommit(false);
                run(connection, "UPDATE entry SET n = 7 WHERE id = 1");
                assertThatThrownBy(() -> send(connection, line), line)
                        .extracting("SQLState")
                        .isEqualTo("0A000");
                connection.rollback();
            }
            cluster.awaitUnpinned();
            try (Connection master = cluster.direct("master")) {
                assertThat(text(master, "SELECT max(n) FROM entry")).as(line).isEqualTo("0");
            }
        }
        copies.assertSame();
    }

    @Test
    void shouldNotLetAHiddenSettingReachOtherClients() throws SQLException {
        String trace = hidden.statement("trace");
        String clean;
        try (Connection connection = cluster.connect()) {
            clean = text(connection, trace);
        }
        for (String line : hidden.statements("settings")) {
            try (Connection connection = cluster.connect()) {
                sendIfPossible(connection, line);
            }
            cluster.awaitUnpinned();
            assertThat(traces(trace)).as(line).containsOnly(clean);
        }
        copies.assertSame();
    }

    private static void sendIfPossible(Connection connection, String line) {
        try {
            send(connection, line);
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as(line).isEqualTo("0A000");
        }
    }

    /** Returns the results on as many concurrent clients as the master has connections. */
    private static List<String> traces(String trace) throws SQLException {
        List<Connection> clients = new ArrayList<>();
        List<String> seen = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                Connection client = cluster.connect();
                clients.add(client);
                client.setAutoCommit(false);
                run(client, "UPDATE entry SET n = 0 WHERE id = " + (10 + i));
                seen.add(text(client, trace));
            }
        } finally {
            for (Connection client : clients) {
                client.rollback();
                client.close();
            }
        }
        return seen;
    }

    @Test
    void shouldRunSingleStatementsThatLookLikeSeveral() throws SQLException {
        for (String line : hidden.statements("one statement")) {
            String[] asked = line.split(" => ", -1);
            try (Connection connection = cluster.connect()) {
                run(connection, written(asked[0]));
                if (asked.length > 1) {
                    assertThat(text(connection, asked[1])).as(line).isEqualTo(asked[2]);
                }
            }
        }
        copies.assertSame();
    }

    /** Sends statements, separated by &&, each of which may be a batch of texts, separated by |. */
    private static void send(Connection connection, String line) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String part : line.split(" && ", -1)) {
                String[] texts = part.split(" \\| ", -1);
                if (texts.length == 1) {
                    statement.execute(written(part));
                    continue;
                }
                for (String sql : texts) {
                    statement.addBatch(written(sql));
                }
                statement.executeBatch();
            }
        }
    }

    /** Inserts the characters that a file of lines cannot contain. */
    private static String written(String text) {
        return text.replace("<CR>", "\r").replace("<LF>", "\n").replace("<NUL>", "\0");
    }
}
