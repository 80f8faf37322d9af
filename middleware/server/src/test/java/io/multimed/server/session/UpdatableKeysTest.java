// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static io.multimed.engine.conformance.Sql.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TimeZone;
import java.util.stream.IntStream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Changes through a result set reach exactly the current row, or fail, whatever the type of the key is. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("exhaustive")
class UpdatableKeysTest {
    /** Sections that are not named by a type. */
    private static final Set<String> NO_TYPES = Set.of("setup", "duplicates", "generated keys");

    private static final TimeZone USUAL = TimeZone.getDefault();
    private static TestCluster cluster;

    private final EngineSql keys;

    UpdatableKeysTest(String engine) {
        keys = EngineSql.of(engine, "keys");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
        cluster = TestCluster.withSatellites(engine, 0);
        cluster.run(EngineSql.of(engine, "keys").statements("setup"));
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        TimeZone.setDefault(USUAL);
        cluster.close();
    }

    /** A type of keys with its table. */
    private record Keys(String table, String type, List<EngineSql.Statement> values) {
        /** Creates the table; the column n numbers the rows. */
        void create(Connection connection) throws SQLException {
            Sql.run(
                    connection,
                    "DROP TABLE IF EXISTS " + table,
                    "CREATE TABLE %s (k %s NOT NULL PRIMARY KEY, n int, v varchar(20))".formatted(table, type));
            for (int i = 0; i < values.size(); i++) {
                Sql.run(
                        connection,
                        "INSERT INTO %s VALUES (%s, %d, 'old')"
                                .formatted(table, values.get(i).text(), i));
            }
        }

        /** Returns the number and the text of each row, except a row that was removed. */
        List<String> expected(int changed, String text, int removed) {
            return IntStream.range(0, values.size())
                    .filter(i -> i != removed)
                    .mapToObj(i -> i + "|" + (i == changed ? text : "old"))
                    .toList();
        }

        List<String> found(Connection connection) throws SQLException {
            return rows(connection, "SELECT n, v FROM " + table);
        }
    }

    private List<Keys> types() {
        List<Keys> types = new ArrayList<>();
        for (String type : keys.sections()) {
            if (!NO_TYPES.contains(type) && keys.section(type).notHere().isEmpty()) {
                types.add(
                        new Keys("key_" + types.size(), type, keys.section(type).statements()));
            }
        }
        return types;
    }

    /** Work with the current row of an updatable result. */
    private interface Work {
        void on(ResultSet row) throws SQLException;
    }

    /** Does the work with the row of a number. Returns the SQLState of the failure; empty if there was none. */
    private static String on(Connection connection, Keys keys, int number, Work work) throws SQLException {
        try (Statement statement =
                        connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                ResultSet row =
                        statement.executeQuery("SELECT k, n, v FROM %s WHERE n = %d".formatted(keys.table(), number))) {
            assertThat(row.next()).isTrue();
            try {
                work.on(row);
                return "";
            } catch (SQLException e) {
                return String.valueOf(e.getSQLState());
            } catch (AssertionError e) {
                return String.valueOf(e.getMessage());
            }
        }
    }

    @Test
    void shouldChangeExactlyTheCurrentRowOrFail() throws SQLException {
        SoftAssertions soft = new SoftAssertions();
        try (Connection connection = cluster.connect()) {
            for (Keys type : types()) {
                type.create(connection);
                for (int i = 0; i < type.values().size(); i++) {
                    EngineSql.Statement value = type.values().get(i);
                    changeRow(soft, connection, type, i, value);
                }
            }
        }
        soft.assertAll();
    }

    private static void changeRow(
            SoftAssertions soft, Connection connection, Keys type, int i, EngineSql.Statement value)
            throws SQLException {
        boolean found = value.sqlState().isEmpty();
        String which = "%s, %s".formatted(type.type(), value.text());
        String updated = on(connection, type, i, row -> {
            row.updateString("v", "new");
            row.updateRow();
            assertThat(row.getString("v")).isEqualTo("new");
        });
        soft.assertThat(updated).as("state of updateRow, %s", which).isEqualTo(value.sqlState());
        soft.assertThat(type.found(connection))
                .as("after updateRow, %s", which)
                .isEqualTo(type.expected(found ? i : -1, "new", -1));

        String refreshed = on(connection, type, i, row -> {
            Sql.run(connection, "UPDATE %s SET v = 'other' WHERE n = %d".formatted(type.table(), i));
            row.refreshRow();
            assertThat(row.getString("v")).isEqualTo("other");
        });
        soft.assertThat(refreshed).as("state of refreshRow, %s", which).isEqualTo(value.sqlState());

        String deleted = on(connection, type, i, ResultSet::deleteRow);
        soft.assertThat(deleted).as("state of deleteRow, %s", which).isEqualTo(value.sqlState());
        soft.assertThat(type.found(connection))
                .as("after deleteRow, %s", which)
                .isEqualTo(type.expected(found ? -1 : i, "other", found ? i : -1));
        Sql.run(
                connection,
                "DELETE FROM %s WHERE n = %d".formatted(type.table(), i),
                "INSERT INTO %s VALUES (%s, %d, 'old')".formatted(type.table(), value.text(), i));
    }

    @Test
    void shouldFailIfTheRowHasBeenDeletedOrHasAnotherKey() throws SQLException {
        for (String change : List.of("DELETE FROM gone WHERE id = 1", "UPDATE gone SET id = 9 WHERE id = 1")) {
            for (Work work : List.<Work>of(ResultSet::deleteRow, ResultSet::refreshRow, row -> updateTo(row, "late"))) {
                try (Connection connection = cluster.connect();
                        Statement statement =
                                connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE)) {
                    Sql.run(
                            connection,
                            "DROP TABLE IF EXISTS gone",
                            "CREATE TABLE gone (id int PRIMARY KEY, v varchar(20))",
                            "INSERT INTO gone VALUES (1, 'one'), (2, 'two')");
                    ResultSet row = statement.executeQuery("SELECT id, v FROM gone ORDER BY id");
                    row.next();
                    cluster.run(change);
                    List<String> before = rows(connection, "SELECT id, v FROM gone");
                    assertThatThrownBy(() -> work.on(row))
                            .isInstanceOf(SQLException.class)
                            .hasMessageContaining(": no row of ")
                            .extracting("SQLState")
                            .isEqualTo("02000");
                    assertThat(rows(connection, "SELECT id, v FROM gone")).isEqualTo(before);
                    assertThat(row.getString("v"))
                            .as("the row remains as it was read")
                            .isEqualTo("one");
                    assertThat(row.next()).isTrue();
                    updateTo(row, "changed");
                    assertThat(row.getString("v")).isEqualTo("changed");
                }
            }
        }
    }

    @Test
    void shouldFailIfTwoRowsHaveTheKey() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement =
                        connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE)) {
            keys.section("duplicates").run(connection);
            ResultSet row = statement.executeQuery("SELECT id, v FROM twice");
            assertThat(row.next()).isTrue();
            for (Work work : List.<Work>of(changed -> updateTo(changed, "new"), ResultSet::deleteRow)) {
                assertThatThrownBy(() -> work.on(row)).extracting("SQLState").isEqualTo("02000");
            }
            assertThatThrownBy(row::refreshRow).extracting("SQLState").isEqualTo("21000");
            assertThat(rows(connection, "SELECT v FROM twice")).containsExactly("old", "old");
        }
    }

    @Test
    void shouldShowTheInsertedRow() throws SQLException {
        try (Connection connection = cluster.connect()) {
            Sql.run(connection, keys.statements("generated keys"));
            Sql.run(connection, "INSERT INTO made_number (v) VALUES ('other')");
            Sql.run(connection, "INSERT INTO made_uuid (v) VALUES ('other')");
            assertThat(inserted(connection, "made_number", row -> row.updateString(2, "new")))
                    .isEqualTo("2 new");
            assertThat(inserted(connection, "made_number", row -> {
                        row.updateInt(1, 77);
                        row.updateString(2, "given");
                    }))
                    .isEqualTo("77 given");
            assertThat(inserted(connection, "made_uuid", row -> row.updateString(2, "new")))
                    .as("the new row, or none: its key may be known to the engine only")
                    .matches("none|.{36} new");
        }
    }

    /** Inserts a row through a result without rows. Returns the row that the result then has. */
    private static String inserted(Connection connection, String table, Work values) throws SQLException {
        try (Statement statement =
                        connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                ResultSet rows = statement.executeQuery("SELECT id, v FROM %s WHERE v = 'nothing'".formatted(table))) {
            rows.moveToInsertRow();
            values.on(rows);
            rows.insertRow();
            rows.moveToCurrentRow();
            return rows.last() ? rows.getString(1) + " " + rows.getString(2) : "none";
        }
    }

    private static void updateTo(ResultSet row, String text) throws SQLException {
        row.updateString("v", text);
        row.updateRow();
    }
}
