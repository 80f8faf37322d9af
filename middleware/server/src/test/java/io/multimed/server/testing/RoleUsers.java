// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.model.listen.UserLimits;
import io.multimed.model.listen.UsersFile;
import io.multimed.protocol.Scram;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The users of tests of roles: the administrator {@code boss}, and others, whose passwords are their names twice. */
public final class RoleUsers {
    private static final String ADMINISTRATOR = "boss";

    private RoleUsers() {}

    /** Returns the entry of a user for the file of users; {@code role} as there. */
    public static UsersFile.Entry user(String name, @Nullable String role) {
        return new UsersFile.Entry(
                name,
                Scram.verifier((name + name).toCharArray()).toText(),
                name.equals(ADMINISTRATOR),
                role,
                UserLimits.NONE);
    }

    public static Connection connect(TestCluster cluster, String name) throws SQLException {
        return DriverManager.getConnection(cluster.url(), name, name + name);
    }

    /** Runs statements as the administrator. */
    public static void asBoss(TestCluster cluster, String... statements) throws SQLException {
        try (Connection boss = connect(cluster, ADMINISTRATOR)) {
            run(boss, statements);
        }
    }

    /** Reads until the node {@code satellite} has answered. */
    public static void awaitSatellite(Connection connection, String query) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            text(connection, query);
            assertThat(Sql.node(connection)).isEqualTo("satellite");
        });
    }

    /** Returns the first column of a prepared query, whose results the cache may keep, separated by commas. */
    public static String read(Connection connection, String query) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query);
                ResultSet rows = statement.executeQuery()) {
            List<String> read = new ArrayList<>();
            while (rows.next()) {
                read.add(rows.getString(1));
            }
            return String.join(",", read);
        }
    }

    /** Reads until the cache answers. */
    public static void awaitCached(Connection connection, String query, String expected) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(read(connection, query)).isEqualTo(expected);
            assertThat(connection.unwrap(MultimedConnection.class).why())
                    .as("%s", Sql.rows(connection, "EXPLAIN ROUTE " + query))
                    .contains("cache");
        });
    }
}
