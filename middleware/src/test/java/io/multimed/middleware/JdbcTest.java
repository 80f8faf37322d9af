package io.multimed.middleware;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.jdbc.MultimedConnection;
import io.multimed.jdbc.MultimedConnectionPoolDataSource;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.StringReader;
import java.sql.BatchUpdateException;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import javax.sql.PooledConnection;
import javax.xml.transform.dom.DOMSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What JDBC has beyond plain statements; where the engine's own driver does the same, it is asked, too. */
@Timeout(600)
class JdbcTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites(1).awaitOnline();
        cluster.run(
                "CREATE TABLE part (id serial PRIMARY KEY, name varchar(40) NOT NULL, n int, data bytea)",
                "INSERT INTO part (name, n) SELECT 'part ' || i, i FROM generate_series(1, 5) i",
                "CREATE TABLE big (id int PRIMARY KEY, data bytea, words text)",
                "CREATE TABLE doc (id int PRIMARY KEY, x xml, names text[])",
                "CREATE FUNCTION twice(a int) RETURNS int LANGUAGE sql AS 'SELECT a * 2'",
                "CREATE FUNCTION split(a text, OUT head text, OUT size int) LANGUAGE sql AS 'SELECT left(a, 1), length(a)'",
                "CREATE PROCEDURE add_part(t text, INOUT made int) LANGUAGE plpgsql AS $$ BEGIN INSERT INTO part (name, n) VALUES (t, 77) RETURNING part.n + made INTO made; END $$");
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
    void shouldChangeRowsThroughAResultSet() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement =
                        connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
            statement.execute("CREATE TABLE edited (\"Id\" int PRIMARY KEY, v text DEFAULT 'none', t timestamptz)");
            statement.execute("INSERT INTO edited VALUES (1, 'a', now()), (2, 'b', now()), (3, 'c', now())");
            try (ResultSet rows = statement.executeQuery("SELECT v, \"Id\" AS k, t FROM edited ORDER BY 2")) {
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
                    other.executeUpdate("UPDATE edited SET v = 'elsewhere' WHERE \"Id\" = 2");
                }
                rows.refreshRow();
                assertThat(rows.getString("v")).isEqualTo("elsewhere");
                assertThat(rows.previous()).isFalse();
            }
            try (ResultSet rows = statement.executeQuery("SELECT v FROM edited")) {
                rows.next();
                assertThatThrownBy(() -> rows.updateString(1, "x")).hasMessageContaining("primary or unique key");
            }
            try (ResultSet rows = statement.executeQuery("SELECT \"Id\", v FROM edited ORDER BY 1")) {
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
            try (CallableStatement call = connection.prepareCall("call add_part(?, ?)")) {
                call.setString(1, "by a procedure");
                call.setInt(2, 3);
                call.registerOutParameter(2, Types.INTEGER);
                call.execute();
                assertThat(call.getInt(2)).isEqualTo(80);
            }
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT n FROM part WHERE name = 'by a procedure'")) {
                assertThat(row.next()).isTrue();
            }
        }
    }

    @Test
    void shouldGiveGeneratedKeysOfBatchesByNameAndNumber() throws SQLException {
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

    @Test
    void shouldCountAFailedBatchAsTheEnginesDriverDoes() throws SQLException {
        try (Connection connection = cluster.connect();
                Connection direct = cluster.direct("master");
                Statement plain = direct.createStatement()) {
            plain.execute("CREATE TEMP TABLE counted (id int PRIMARY KEY)");
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
    void shouldGiveSeveralResultsOneByOne() throws SQLException {
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
    void shouldPassLargeValuesPieceByPiece() throws Exception {
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
            assertThatThrownBy(insert::executeUpdate).hasMessageContaining("Premature end of input stream");
        }
    }

    @Test
    void shouldHaveBlobsClobsXmlAndArrays() throws Exception {
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO big VALUES (?, ?, ?)");
                PreparedStatement doc = connection.prepareStatement("INSERT INTO doc VALUES (?, ?, ?)");
                Statement statement = connection.createStatement()) {
            var blob = connection.createBlob();
            blob.setBytes(1, "blob".getBytes(UTF_8));
            var clob = connection.createClob();
            clob.setString(1, "clob");
            insert.setInt(1, 50);
            insert.setBlob(2, blob);
            insert.setClob(3, clob);
            insert.executeUpdate();
            SQLXML xml = connection.createSQLXML();
            xml.setString("<a>b</a>");
            doc.setInt(1, 1);
            doc.setSQLXML(2, xml);
            doc.setArray(3, connection.createArrayOf("text", new String[] {"x y", null, "\"q\""}));
            doc.executeUpdate();
            try (ResultSet row = statement.executeQuery("SELECT data, words FROM big WHERE id = 50")) {
                row.next();
                assertThat(row.getBlob(1).getBytes(1, 9)).asString(UTF_8).isEqualTo("blob");
                assertThat(row.getClob(2).getSubString(2, 2)).isEqualTo("lo");
            }
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

    @Test
    void shouldStreamInAutoCommitAndKeepResultsOverACommit() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                Statement other = connection.createStatement()) {
            statement.setFetchSize(50);
            try (ResultSet rows =
                    statement.executeQuery("SELECT i, repeat('x', 1000) FROM generate_series(1, 5000) i")) {
                int expected = 1;
                while (rows.next()) {
                    assertThat(rows.getInt(1)).isEqualTo(expected++);
                    if (expected == 100) {
                        assertThat(other.executeUpdate("UPDATE part SET n = 1 WHERE id = 1"))
                                .isEqualTo(1);
                    }
                }
                assertThat(expected).isEqualTo(5001);
            }
            connection.setAutoCommit(false);
            statement.setFetchSize(0);
            try (ResultSet rows =
                    statement.executeQuery("SELECT i, repeat('x', 1000) FROM generate_series(1, 5000) i")) {
                rows.next();
                connection.commit();
                assertThat(strings(rows, 1)).hasSize(4999);
            }
            statement.setMaxRows(7);
            try (ResultSet rows = statement.executeQuery("SELECT i FROM generate_series(1, 5000) i")) {
                assertThat(strings(rows, 1)).hasSize(7);
            }
        }
    }

    @Test
    void shouldCancelFromAnotherThread() throws Exception {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            CompletableFuture<Throwable> end = CompletableFuture.supplyAsync(() -> failure(statement));
            await().atMost(Duration.ofMinutes(3)).until(() -> {
                statement.cancel();
                return end.isDone();
            });
            assertThat(end.get()).extracting("SQLState").isEqualTo("57014");
            statement.setFetchSize(10);
            try (ResultSet rows =
                    statement.executeQuery("SELECT i, repeat('x', 1000) FROM generate_series(1, 100000) i")) {
                rows.next();
                statement.cancel();
                assertThatThrownBy(() -> strings(rows, 1))
                        .extracting("SQLState")
                        .isEqualTo("57014");
            }
            statement.setFetchSize(0);
            statement.setQueryTimeout(1);
            assertThatThrownBy(() -> statement.executeQuery("SELECT pg_sleep(30)"))
                    .extracting("SQLState")
                    .isEqualTo("57014");
            assertThat(connection.isValid(60)).isTrue();
        }
    }

    private static Throwable failure(Statement statement) {
        try {
            statement.executeQuery("SELECT pg_sleep(60)");
            return new AssertionError("was not cancelled");
        } catch (SQLException e) {
            return e;
        }
    }

    @Test
    void shouldPoolPhysicalConnectionsAndTellTheirListeners() throws SQLException {
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
