// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrays keep the engine's text, and with it the bounds of their dimensions, in both directions. */
@Tag("slow")
@Timeout(300)
@Tag("exhaustive")
@Tag("standbys")
class ArrayTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites("postgresql", 1).awaitOnline();
        cluster.run("CREATE TYPE mood AS ENUM ('sad', 'very happy')", "CREATE TYPE pair AS (a int, b text)");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "int4| [2:4]={7,8,9}",
                "int4| [0:1][-1:0]={{1,2},{3,NULL}}",
                "int4| {}",
                "int8| [-5:-4]={9223372036854775807,0}",
                "int2| [2:3]={7,8}",
                "text| [2:3]={a,\"b \\\"c\\\\\"}",
                "text| {NULL,\"NULL\",null_,\"\",\"{\",\"a,b\"}",
                "varchar| [0:0]={x}",
                "float8| [0:2]={1e+300,0.1,NaN}",
                "float4| [0:1]={1e+20,0.1}",
                "numeric| [0:1]={1.50,NaN}",
                "bool| [0:1]={t,f}",
                "date| [0:1]={2024-02-29,infinity}",
                "timestamptz| [0:0]={\"2024-02-29 12:34:56+00\"}",
                "time| [0:0]={12:34:56.5}",
                "uuid| [0:0]={123e4567-e89b-12d3-a456-426614174000}",
                "bytea| [0:0]={\"\\\\x00ff\"}",
                "jsonb| [0:0]={\"{\\\"a\\\": 1}\"}",
                "interval| [0:0]={\"1 day 02:03:04\"}",
                "inet| [0:0]={10.0.0.1}",
                "oid| [0:1]={1,2}",
                "point| [0:0]={\"(1,2)\"}",
                "box| [0:1]={(2,2),(1,1);(4,4),(3,3)}",
                "mood| [0:1]={sad,\"very happy\"}",
                "pair| [0:0]={\"(1,\\\"x y\\\")\"}",
                "money| [0:0]={$1.00}",
            })
    void shouldKeepTheEnginesText(String type, String text) throws SQLException {
        String table = "kept_" + type;
        cluster.run(
                "DROP TABLE IF EXISTS " + table, "CREATE TABLE %s (id int PRIMARY KEY, v %s[])".formatted(table, type));
        cluster.run("INSERT INTO %s VALUES (1, '%s')".formatted(table, text.replace("'", "''")));
        cluster.awaitApplied();
        try (Connection client = cluster.connect()) {
            client.createStatement().execute("SET TIME ZONE 'UTC'");
            String engines = Sql.text(client, "SELECT v::text FROM " + table);
            for (int i = 0; i < 8; i++) { // the engine's driver changes the form of transfer after some executions
                client.setAutoCommit(i % 2 == 0);
                copy(client, table, i + 2, i % 3 == 0 ? 10 : 0, engines);
                client.setAutoCommit(true);
            }
            assertThat(Sql.text(client, "SELECT count(DISTINCT v::text) FROM " + table))
                    .isEqualTo("1");
        }
        cluster.run("DROP TABLE " + table);
    }

    /** Reads the array of the first row, and writes it into another one. */
    private static void copy(Connection client, String table, int id, int fetchSize, String engines)
            throws SQLException {
        try (PreparedStatement query = client.prepareStatement("SELECT v FROM " + table + " WHERE id = 1");
                PreparedStatement insertion = client.prepareStatement("INSERT INTO " + table + " VALUES (?, ?)")) {
            query.setFetchSize(fetchSize);
            try (ResultSet rows = query.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString(1)).isEqualTo(engines);
                Array array = rows.getArray(1);
                assertThat(array).hasToString(engines);
                assertThat(rows.getObject(1)).hasToString(engines);
                insertion.setInt(1, id);
                if (id % 2 == 0) {
                    insertion.setArray(2, array);
                } else {
                    insertion.setObject(2, array, Types.ARRAY);
                }
                insertion.executeUpdate();
            }
        }
        if (!client.getAutoCommit()) {
            client.commit();
        }
        assertThat(Sql.text(client, "SELECT v::text FROM %s WHERE id = %d".formatted(table, id)))
                .isEqualTo(engines);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"[2:4]={7,8,9}", "{}"})
    void shouldKeepTheTextOfUpdatesAndOutParameters(String text) throws SQLException {
        cluster.run("CREATE TABLE edited (id int PRIMARY KEY, v int[], w int[])");
        cluster.run("INSERT INTO edited VALUES (1, '%s', NULL)".formatted(text));
        cluster.run("CREATE OR REPLACE FUNCTION given(OUT v int[]) LANGUAGE sql AS $$ SELECT v FROM edited $$");
        try (Connection client = cluster.connect();
                Statement statement =
                        client.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                CallableStatement call = client.prepareCall("{? = call given()}")) {
            try (ResultSet rows = statement.executeQuery("SELECT id, v, w FROM edited")) {
                rows.next();
                rows.updateArray(3, rows.getArray(2));
                rows.updateRow();
                assertThat(rows.getString(3)).isEqualTo(text);
            }
            assertThat(Sql.text(client, "SELECT w::text FROM edited")).isEqualTo(text);
            call.registerOutParameter(1, Types.ARRAY);
            call.execute();
            assertThat(call.getArray(1)).hasToString(text);
        }
        cluster.run("DROP FUNCTION given", "DROP TABLE edited");
    }
}
