// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.server.testing.TestCluster;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import javax.xml.transform.dom.DOMSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Checks features that only PostgreSQL's driver has: descriptions of statements before their execution, several
 * statements in one text, keys by name, OUT parameters of functions, arrays, XML.
 */
@Timeout(600)
@Tag("standbys")
@Tag("slow")
class PostgresJdbcTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites(1).awaitOnline();
        cluster.run(
                "CREATE TABLE part (id serial PRIMARY KEY, name varchar(40) NOT NULL, n int, data bytea)",
                "INSERT INTO part (name, n) SELECT 'part ' || i, i FROM generate_series(1, 5) i",
                "CREATE TABLE doc (id int PRIMARY KEY, x xml, names text[])",
                "CREATE FUNCTION twice(a int) RETURNS int LANGUAGE sql AS 'SELECT a * 2'",
                "CREATE FUNCTION split(a text, OUT head text, OUT size int) LANGUAGE sql AS 'SELECT left(a, 1), length(a)'");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void shouldDescribeStatementsBeforeTheyRunAsTheEnginesDriverDoes() throws SQLException {
        String sql = "SELECT id, name AS label, n + 1 AS more FROM part WHERE name = ? AND n > ?";
        try (Connection connection = cluster.connect();
                Connection direct = cluster.direct("master");
                PreparedStatement ours = connection.prepareStatement(sql);
                PreparedStatement theirs = direct.prepareStatement(sql)) {
            assertThat(parameters(ours)).isEqualTo(parameters(theirs)).hasSize(2);
            assertThat(columns(ours.getMetaData()))
                    .isEqualTo(columns(theirs.getMetaData()))
                    .hasSize(3);
            ours.setString(1, "part 1");
            ours.setInt(2, 0);
            theirs.setString(1, "part 1");
            theirs.setInt(2, 0);
            try (ResultSet our = ours.executeQuery();
                    ResultSet their = theirs.executeQuery()) {
                assertThat(columns(our.getMetaData())).isEqualTo(columns(their.getMetaData()));
            }
        }
        try (Connection connection = cluster.connect();
                PreparedStatement update = connection.prepareStatement("UPDATE part SET n = n WHERE id = ?")) {
            assertThat(update.getMetaData()).isNull();
            assertThat(update.getParameterMetaData().getParameterType(1)).isEqualTo(Types.INTEGER);
        }
    }

    private static List<List<Object>> parameters(PreparedStatement statement) throws SQLException {
        List<List<Object>> all = new ArrayList<>();
        var data = statement.getParameterMetaData();
        for (int i = 1; i <= data.getParameterCount(); i++) {
            all.add(List.of(
                    data.getParameterType(i),
                    data.getParameterTypeName(i),
                    data.getParameterClassName(i),
                    data.getParameterMode(i),
                    data.isNullable(i),
                    data.isSigned(i)));
        }
        return all;
    }

    private static List<List<Object>> columns(ResultSetMetaData data) throws SQLException {
        List<List<Object>> all = new ArrayList<>();
        for (int i = 1; i <= data.getColumnCount(); i++) {
            all.add(List.of(
                    data.getColumnLabel(i),
                    data.getColumnName(i),
                    data.getTableName(i),
                    data.getSchemaName(i),
                    data.isNullable(i),
                    data.isAutoIncrement(i),
                    data.getColumnTypeName(i),
                    data.getPrecision(i),
                    data.getColumnClassName(i)));
        }
        return all;
    }

    @Test
    void shouldCallFunctionsWithOutParameters() throws SQLException {
        try (Connection connection = cluster.connect()) {
            try (CallableStatement call = connection.prepareCall("{? = call twice(?)}")) {
                call.registerOutParameter(1, Types.INTEGER);
                call.setInt(2, 21);
                assertThat(call.execute()).isFalse();
                assertThat(call.getInt(1)).isEqualTo(42);
                assertThat(call.getObject(1)).isEqualTo(42);
                assertThatThrownBy(() -> call.getInt(2)).extracting("SQLState").isEqualTo("2200G");
            }
            try (CallableStatement call = connection.prepareCall("{call split(?, ?, ?)}")) {
                call.setString(1, "hello");
                call.registerOutParameter(2, Types.VARCHAR);
                call.registerOutParameter(3, Types.INTEGER);
                call.execute();
                assertThat(call.getString(2)).isEqualTo("h");
                assertThat(call.getInt(3)).isEqualTo(5);
                assertThatThrownBy(() -> call.getLong(3)).extracting("SQLState").isEqualTo("2200G");
            }
        }
    }

    @Test
    void shouldReturnGeneratedKeysOfBatchesByNameAndNumber() throws SQLException {
        try (Connection connection = cluster.connect();
                PreparedStatement named = connection.prepareStatement(
                        "INSERT INTO part (name, n) VALUES (?, ?)", new String[] {"n", "id"});
                Statement statement = connection.createStatement()) {
            for (int i = 1000; i < 1003; i++) {
                named.setString(1, "batch");
                named.setInt(2, i);
                named.addBatch();
            }
            assertThat(named.executeLargeBatch()).containsExactly(1, 1, 1);
            try (ResultSet keys = named.getGeneratedKeys()) {
                assertThat(strings(keys, 1)).containsExactly("1000", "1001", "1002");
            }
            assertThat(statement.executeLargeUpdate(
                            "INSERT INTO part (name) VALUES ('large')", Statement.RETURN_GENERATED_KEYS))
                    .isEqualTo(1);
            try (ResultSet keys = statement.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                assertThat(keys.getInt("id")).isPositive();
            }
        }
    }

    private static List<String> strings(ResultSet rows, int column) throws SQLException {
        List<String> all = new ArrayList<>();
        while (rows.next()) {
            all.add(rows.getString(column));
        }
        return all;
    }

    @Test
    void shouldReturnSeveralResultsOneByOne() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            assertThat(statement.execute("SELECT 1; UPDATE part SET n = n WHERE id = 1; SELECT 2"))
                    .isTrue();
            ResultSet first = statement.getResultSet();
            assertThat(statement.getMoreResults(Statement.KEEP_CURRENT_RESULT)).isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(1);
            assertThat(first.isClosed()).isFalse();
            assertThat(statement.getMoreResults(Statement.CLOSE_ALL_RESULTS)).isTrue();
            assertThat(first.isClosed()).isTrue();
            statement.getResultSet().next();
            assertThat(statement.getResultSet().getInt(1)).isEqualTo(2);
            assertThat(statement.getMoreResults()).isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(-1);
        }
    }

    @Test
    void shouldSupportXmlAndArrays() throws Exception {
        try (Connection connection = cluster.connect();
                PreparedStatement doc = connection.prepareStatement("INSERT INTO doc VALUES (?, ?, ?)");
                Statement statement = connection.createStatement()) {
            SQLXML xml = connection.createSQLXML();
            xml.setString("<a>b</a>");
            doc.setInt(1, 1);
            doc.setSQLXML(2, xml);
            doc.setArray(3, connection.createArrayOf("text", new String[] {"x y", null, "\"q\""}));
            doc.executeUpdate();
            try (ResultSet row = statement.executeQuery("SELECT x, names FROM doc")) {
                row.next();
                DOMSource source = row.getSQLXML(1).getSource(DOMSource.class);
                assertThat(source.getNode().getFirstChild().getNodeName()).isEqualTo("a");
                assertThat(row.getArray(2).toString()).isEqualTo("{\"x y\",NULL,\"\\\"q\\\"\"}");
                try (ResultSet names = row.getArray(2).getResultSet()) {
                    assertThat(strings(names, 2)).containsExactly("x y", null, "\"q\"");
                }
            }
            assertThatThrownBy(() -> {
                        try (ResultSet row = statement.executeQuery("SELECT 1::oid")) {
                            row.next();
                            row.getBlob(1);
                        }
                    })
                    .extracting("SQLState")
                    .isEqualTo("0A000");
        }
    }
}
