// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.Series;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.jdbc.MultimedConnectionPoolDataSource;
import io.multimed.server.testing.TestCluster;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.StringReader;
import java.sql.BatchUpdateException;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import javax.sql.PooledConnection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Checks features of JDBC beyond plain statements, and compares the results with the driver of the engine where the
 * driver has the feature.
 */
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("standbys")
@Tag("slow")
class JdbcTest {
    private static final int NUMBERS = 5_000;
    private static final String ALL = "SELECT i, repeat('x', 1000) FROM numbers ORDER BY i";

    private static TestCluster cluster;

    private final EngineSql words;
    private final boolean isPostgres;

    JdbcTest(String engine) {
        words = EngineSql.of(engine, "words");
        isPostgres = engine.equals("postgresql");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        EngineSql words = EngineSql.of(engine, "words");
        cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
        cluster.run(
                "CREATE TABLE part (id %s, name varchar(40) NOT NULL, n int)".formatted(words.statement("key")),
                "INSERT INTO part (name, n) SELECT concat('part ', i), i FROM " + Series.to(5),
                "CREATE TABLE big (id int PRIMARY KEY, data %s, words %s)"
                        .formatted(words.statement("bytes"), words.statement("texts")),
                "CREATE TABLE numbers (i int PRIMARY KEY)",
                "INSERT INTO numbers SELECT i FROM " + Series.to(NUMBERS));
        cluster.run(words.statements("routines"));
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @Test
    void shouldChangeRowsThroughAResultSet() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement =
                        connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
            String quote = connection.getMetaData().getIdentifierQuoteString();
            String id = quote + "Id" + quote;
            Sql.run(
                    connection,
                    "CREATE TABLE edited (%s int PRIMARY KEY, v varchar(20) DEFAULT 'none', t %s)"
                            .formatted(id, words.statement("moment")),
                    "INSERT INTO edited VALUES (1, 'a', now()), (2, 'b', now()), (3, 'c', now())");
            try (ResultSet rows = statement.executeQuery("SELECT v, %s AS k, t FROM edited ORDER BY 2".formatted(id))) {
                assertThat(rows.absolute(2)).isTrue();
                rows.updateString("v", "changed");
                rows.updateRow();
                assertThat(rows.getString(1)).isEqualTo("changed");
                rows.moveToInsertRow();
                rows.updateInt("k", 9);
                rows.insertRow();
                rows.moveToCurrentRow();
                assertThat(rows.getInt("k")).isEqualTo(2);
                assertThat(rows.last()).isTrue();
                assertThat(rows.getString("v")).isEqualTo("none");
                rows.absolute(1);
                rows.deleteRow();
                assertThat(rows.isBeforeFirst()).isTrue();
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(2)).isEqualTo(2);
                try (Statement other = connection.createStatement()) {
                    other.executeUpdate("UPDATE edited SET v = 'elsewhere' WHERE %s = 2".formatted(id));
                }
                rows.refreshRow();
                assertThat(rows.getString("v")).isEqualTo("elsewhere");
                assertThat(rows.previous()).isFalse();
            }
            try (ResultSet rows = statement.executeQuery("SELECT v FROM edited")) {
                rows.next();
                assertThatThrownBy(() -> rows.updateString(1, "x")).hasMessageContaining("primary or unique key");
            }
            try (ResultSet rows = statement.executeQuery("SELECT %s, v FROM edited ORDER BY 1".formatted(id))) {
                assertThat(strings(rows, 2)).containsExactly("elsewhere", "c", "none");
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
    void shouldCallFunctionsAndProcedures() throws SQLException {
        try (Connection connection = cluster.connect()) {
            try (CallableStatement call = connection.prepareCall("{? = call twice(?)}")) {
                call.registerOutParameter(1, Types.INTEGER);
                call.setInt(2, 21);
                assertThat(call.execute()).isFalse();
                assertThat(call.getInt(1)).isEqualTo(42);
                assertThat(call.getObject(1)).isEqualTo(42);
            }
            connection.setAutoCommit(false);
            for (String name : List.of("undone", "by a procedure")) {
                try (CallableStatement call = connection.prepareCall("call add_part(?, ?)")) {
                    call.setString(1, name);
                    call.setInt(2, 3);
                    call.registerOutParameter(2, Types.INTEGER);
                    call.execute();
                    assertThat(call.getInt(2)).isEqualTo(80);
                }
                if (name.equals("undone")) {
                    connection.rollback();
                }
            }
            connection.commit();
            connection.setAutoCommit(true);
            assertThat(Sql.rows(connection, "SELECT name FROM part WHERE n = 77"))
                    .containsExactly("by a procedure");
            assertThat(Sql.node(connection)).as(cluster.pinned()).isEqualTo("satellite-1");
            assertThat(Sql.rows(connection, "SELECT what FROM journal"))
                    .as("of a trigger of several statements")
                    .contains("; by a procedure", "made");
            assertThat(Sql.text(connection, "SELECT twice(4)")).isEqualTo("8");
        }
    }

    @Test
    void shouldCountAFailedBatchAsTheEnginesDriverDoes() throws SQLException {
        try (Connection connection = cluster.connect();
                Connection direct = cluster.direct("master");
                Statement plain = direct.createStatement()) {
            plain.execute("CREATE TEMPORARY TABLE counted (id int PRIMARY KEY)");
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE counted (id int PRIMARY KEY)");
            }
            for (boolean autoCommit : new boolean[] {true, false}) {
                connection.setAutoCommit(autoCommit);
                direct.setAutoCommit(autoCommit);
                assertThat(failedBatch(connection)).isEqualTo(failedBatch(direct));
                if (!autoCommit) {
                    connection.rollback();
                    direct.rollback();
                }
            }
        }
    }

    private static String failedBatch(Connection connection) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO counted VALUES (?)")) {
            for (int id : new int[] {1, 2, 2, 3}) {
                insert.setInt(1, id);
                insert.addBatch();
            }
            insert.executeBatch();
            return "no failure";
        } catch (BatchUpdateException e) {
            return Arrays.toString(e.getUpdateCounts()) + e.getSQLState();
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldTransferLargeValuesInPieces() throws Exception {
        byte[] bytes = new byte[9 << 20];
        new Random(1).nextBytes(bytes);
        String words = "a\u00e4\uD83D\uDE00".repeat(1 << 19);
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO big VALUES (?, ?, ?)")) {
            insert.setInt(1, 1);
            insert.setBinaryStream(2, new ByteArrayInputStream(bytes));
            insert.setCharacterStream(3, new StringReader(words));
            assertThat(insert.executeUpdate()).isEqualTo(1);
            insert.setInt(1, 2);
            insert.setBytes(2, bytes);
            insert.setString(3, words);
            insert.addBatch();
            insert.setInt(1, 3);
            insert.setBinaryStream(2, new ByteArrayInputStream(bytes), bytes.length);
            insert.setCharacterStream(3, new StringReader(words), words.length());
            insert.addBatch();
            assertThat(insert.executeBatch()).containsExactly(1, 1);
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT data, words FROM big ORDER BY id")) {
                for (int i = 0; i < 3; i++) {
                    assertThat(rows.next()).isTrue();
                    try (InputStream stream = rows.getBinaryStream(1)) {
                        assertThat(Arrays.equals(stream.readAllBytes(), bytes)).isTrue();
                    }
                    assertThat(rows.getString(2).equals(words)).isTrue();
                }
            }
            insert.setInt(1, 4);
            insert.setBinaryStream(2, new ByteArrayInputStream(bytes), bytes.length + 1);
            insert.setString(3, "");
            if (isPostgres) {
                assertThatThrownBy(insert::executeUpdate).hasMessageContaining("Premature end of input stream");
            } else {
                assertThat(insert.executeUpdate()).isEqualTo(1); // as with the engine's own driver
            }
        }
    }

    @Test
    void shouldSupportBlobsAndClobs() throws Exception {
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO big VALUES (?, ?, ?)");
                Statement statement = connection.createStatement()) {
            var blob = connection.createBlob();
            blob.setBytes(1, "blob".getBytes(UTF_8));
            var clob = connection.createClob();
            clob.setString(1, "clob");
            insert.setInt(1, 50);
            insert.setBlob(2, blob);
            insert.setClob(3, clob);
            insert.executeUpdate();
            try (ResultSet row = statement.executeQuery("SELECT data, words FROM big WHERE id = 50")) {
                row.next();
                assertThat(row.getBlob(1).getBytes(1, 9)).asString(UTF_8).isEqualTo("blob");
                assertThat(row.getClob(2).getSubString(2, 2)).isEqualTo("lo");
            }
        }
    }

    @Test
    void shouldStreamInAutoCommitAndKeepResultsOverACommit() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                Statement other = connection.createStatement()) {
            statement.setFetchSize(50);
            try (ResultSet rows = statement.executeQuery(ALL)) {
                int expected = 1;
                while (rows.next()) {
                    assertThat(rows.getInt(1)).isEqualTo(expected++);
                    if (expected == 100) {
                        assertThat(other.executeUpdate("UPDATE part SET n = 1 WHERE id = 1"))
                                .isEqualTo(1);
                    }
                }
                assertThat(expected).isEqualTo(NUMBERS + 1);
            }
            connection.setAutoCommit(false);
            statement.setFetchSize(0);
            try (ResultSet rows = statement.executeQuery(ALL)) {
                rows.next();
                connection.commit();
                assertThat(strings(rows, 1)).hasSize(NUMBERS - 1);
            }
            statement.setMaxRows(7);
            try (ResultSet rows = statement.executeQuery("SELECT i FROM numbers")) {
                assertThat(strings(rows, 1)).hasSize(7);
            }
        }
    }

    @Test
    void shouldPoolPhysicalConnectionsAndNotifyTheirListeners() throws SQLException {
        MultimedConnectionPoolDataSource source = new MultimedConnectionPoolDataSource();
        source.setUrl(cluster.url());
        source.setUser("tester");
        PooledConnection pooled = source.getPooledConnection();
        AtomicInteger closed = new AtomicInteger();
        pooled.addConnectionEventListener(new ConnectionEventListener() {
            @Override
            public void connectionClosed(ConnectionEvent event) {
                closed.incrementAndGet();
            }

            @Override
            public void connectionErrorOccurred(ConnectionEvent event) {
                closed.addAndGet(100);
            }
        });
        long first;
        try (Connection connection = pooled.getConnection()) {
            connection.setAutoCommit(false);
            first = connection.unwrap(MultimedConnection.class).sessionId();
        }
        try (Connection connection = pooled.getConnection()) {
            assertThat(connection.getAutoCommit()).isTrue();
            assertThat(connection.unwrap(MultimedConnection.class).sessionId()).isEqualTo(first);
        }
        assertThat(closed).hasValue(2);
        pooled.close();
    }
}
