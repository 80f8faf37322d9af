// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** The description of a result remains available when another client has dropped or changed the table. */
@Timeout(300)
@Tag("exhaustive")
class DroppedTableTest {
    private static final List<String> CHANGES =
            List.of("DROP TABLE parted", "ALTER TABLE parted DROP COLUMN v", "ALTER TABLE parted RENAME TO other");

    /** Every property of a column that a result describes. */
    private static List<Object> describe(ResultSetMetaData data, int column) throws SQLException {
        List<Object> described = new ArrayList<>(List.of(
                data.getColumnCount(),
                data.getColumnLabel(column),
                data.getColumnName(column),
                data.getColumnType(column),
                data.getColumnTypeName(column),
                data.getColumnClassName(column),
                data.getPrecision(column),
                data.getScale(column),
                data.isSigned(column)));
        data.getTableName(column); // whether a table that is gone is still known depends on the engine
        data.getSchemaName(column);
        data.getCatalogName(column);
        data.isNullable(column);
        data.isAutoIncrement(column);
        return described;
    }

    @ParameterizedTest
    @EachEngine
    void shouldDescribeAResultAfterAChangeOfItsTable(String engine) throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(engine, 1).awaitOnline()) {
            for (String change : CHANGES) {
                cluster.run(
                        "CREATE TABLE parted (id INT PRIMARY KEY, v VARCHAR(20))",
                        "INSERT INTO parted VALUES (1, 'a')");
                cluster.awaitApplied();
                try (Connection client = cluster.connect();
                        Statement statement = client.createStatement();
                        PreparedStatement prepared = client.prepareStatement("SELECT id, v FROM parted WHERE id = ?");
                        Statement onMaster = client.createStatement()) {
                    prepared.setInt(1, 1);
                    List<ResultSet> results = List.of(
                            statement.executeQuery("SELECT id, v FROM parted"),
                            prepared.executeQuery(),
                            onMaster.executeQuery("/*+ multimed: master */ SELECT id, v FROM parted"));
                    cluster.run(change);
                    for (ResultSet rows : results) {
                        assertThat(rows.next()).isTrue();
                        List<Object> before = describe(rows.getMetaData(), 2);
                        assertThat(before).as(change).contains("v");
                        assertThat(describe(rows.getMetaData(), 1)).contains("id");
                        assertThat(rows.getString("v")).isEqualTo("a");
                    }
                    assertThat(prepared.getMetaData().getColumnCount()).isEqualTo(2);
                }
                cluster.run("DROP TABLE IF EXISTS parted", "DROP TABLE IF EXISTS other");
            }
        }
    }

    @ParameterizedTest
    @EachEngine
    void shouldDescribeAResultOfATableThatItsOwnTransactionHasDropped(String engine) throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(engine, 1).awaitOnline()) {
            cluster.run(
                    "CREATE TABLE parted (id INT PRIMARY KEY, v VARCHAR(20))", "INSERT INTO parted VALUES (1, 'a')");
            try (Connection client = cluster.connect();
                    Statement statement = client.createStatement()) {
                client.setAutoCommit(false);
                Sql.run(client, "UPDATE parted SET v = 'b'");
                ResultSet rows = statement.executeQuery("SELECT id, v FROM parted");
                Sql.run(client, "DROP TABLE parted");
                assertThat(describe(rows.getMetaData(), 2)).contains("v");
                assertThat(Sql.text(client, "SELECT 1"))
                        .as("the transaction goes on")
                        .isEqualTo("1");
                client.rollback();
            }
        }
    }
}
