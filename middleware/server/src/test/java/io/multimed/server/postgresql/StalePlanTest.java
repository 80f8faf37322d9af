// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Calendar;
import java.util.List;
import java.util.TimeZone;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A satellite's connections keep prepared statements of all clients. A schema change that gives the result of such a
 * statement another form ends no read-only transaction: the client has not prepared the statement before.
 */
@Tag("slow")
@Timeout(600)
@Tag("standbys")
class StalePlanTest {
    private static final int TRANSACTIONS = 40;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites("postgresql", 1).awaitOnline();
        cluster.run(
                "CREATE TABLE steady (id int PRIMARY KEY)",
                "INSERT INTO steady VALUES (1)",
                "CREATE TABLE altered (id int PRIMARY KEY)",
                "INSERT INTO altered VALUES (1)");
        cluster.awaitApplied();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static Connection reader() throws SQLException {
        return reader(cluster);
    }

    private static Connection reader(TestCluster of) throws SQLException {
        Connection reader = of.connect();
        reader.setAutoCommit(false);
        reader.setReadOnly(true);
        return reader;
    }

    /** Returns the number of columns. */
    private static int read(Connection reader, String table) throws SQLException {
        try (PreparedStatement query = reader.prepareStatement("SELECT * FROM " + table);
                ResultSet rows = query.executeQuery()) {
            assertThat(rows.next()).isTrue();
            assertThat(reader.unwrap(MultimedConnection.class).lastNode()).startsWith("satellite");
            return rows.getMetaData().getColumnCount();
        }
    }

    private static void readInTransactions(String first, String second, int columns) throws SQLException {
        for (int i = 0; i < TRANSACTIONS; i++) {
            try (Connection reader = reader()) {
                read(reader, first);
                assertThat(read(reader, second)).as("columns").isEqualTo(columns);
                reader.commit();
            }
        }
    }

    @Tag("exhaustive")
    @Test
    void shouldReadAnAlteredTableInATransactionThatBeginsLater() throws SQLException {
        readInTransactions("steady", "altered", 1);
        cluster.run("ALTER TABLE altered ADD COLUMN n int");
        cluster.awaitApplied();
        readInTransactions("steady", "altered", 2);
        cluster.run("ALTER TABLE altered DROP COLUMN n");
        cluster.awaitApplied();
        readInTransactions("altered", "altered", 1);
    }

    @Tag("exhaustive")
    @Test
    void shouldReadATableThatIsAlteredDuringTheTransaction() throws SQLException {
        cluster.run("CREATE TABLE growing (id int PRIMARY KEY)", "INSERT INTO growing VALUES (1)");
        cluster.awaitApplied();
        readInTransactions("steady", "growing", 1);
        for (int columns = 2; columns <= 6; columns++) {
            try (Connection reader = reader()) {
                read(reader, "steady");
                cluster.run("ALTER TABLE growing ADD COLUMN n%d int".formatted(columns));
                cluster.awaitApplied();
                assertThat(read(reader, "growing")).as("columns").isEqualTo(columns);
                reader.commit();
            }
            readInTransactions("steady", "growing", columns);
        }
    }

    /** Uses the statement often enough for the engine's driver to keep it prepared on all connections. */
    private static void useOften(String sql, Use use) throws SQLException {
        for (int i = 0; i < TRANSACTIONS; i++) {
            try (Connection client = cluster.connect();
                    PreparedStatement statement = client.prepareStatement(sql)) {
                client.setAutoCommit(i % 2 == 0);
                use.of(statement);
                if (!client.getAutoCommit()) {
                    client.commit();
                }
            }
        }
    }

    private interface Use {
        void of(PreparedStatement statement) throws SQLException;
    }

    private static int columns(PreparedStatement statement) throws SQLException {
        return statement.getMetaData().getColumnCount();
    }

    /** A description never uses a plan from before, in no kind of transaction. */
    @ParameterizedTest
    @ValueSource(strings = {"", "/*+ multimed: master */ "})
    @Tag("exhaustive")
    void shouldDescribeAStatementOfAnAlteredTable(String hint) throws SQLException {
        cluster.run("CREATE TABLE described (id int PRIMARY KEY, v int)", "INSERT INTO described VALUES (1, 1)");
        String query = hint + "SELECT * FROM described WHERE v = ?";
        Use use = statement -> {
            statement.setInt(1, 1);
            try (ResultSet rows = statement.executeQuery()) {
                assertThat(rows.next()).isTrue();
            }
        };
        cluster.awaitApplied();
        useOften(query, use);
        try (Connection client = cluster.connect();
                Connection writer = cluster.connect();
                Connection reader = reader();
                PreparedStatement reused = client.prepareStatement(query);
                PreparedStatement written = writer.prepareStatement(query);
                PreparedStatement read = reader.prepareStatement(query)) {
            writer.setAutoCommit(false);
            for (PreparedStatement each : List.of(reused, written, read)) {
                assertThat(columns(each)).isEqualTo(2);
                use.of(each);
            }
            writer.commit(); // its locks
            reader.commit();
            cluster.run("ALTER TABLE described ADD COLUMN n int", "ALTER TABLE described ALTER COLUMN v TYPE bigint");
            cluster.awaitApplied();
            for (PreparedStatement each : List.of(reused, written, read)) {
                each.getResultSet(); // closed
                each.clearParameters(); // their types would count
                assertThat(columns(each)).isEqualTo(3);
                assertThat(each.getParameterMetaData().getParameterTypeName(1)).isEqualTo("int8");
                assertThat(each.getMetaData().getColumnTypeName(2)).isEqualTo("int8");
                use.of(each);
            }
            writer.rollback();
            reader.rollback();
        }
        useOften(query, statement -> assertThat(columns(statement)).isEqualTo(3));
        useOften(query, use);
        cluster.run("DROP TABLE described");
    }

    @Tag("exhaustive")
    @Test
    void shouldUpdateAndRefreshRowsOfAnAlteredTable() throws SQLException {
        cluster.run("CREATE TABLE edited (id int PRIMARY KEY, v int)", "INSERT INTO edited VALUES (1, 1)");
        cluster.awaitApplied();
        editRows();
        cluster.run("ALTER TABLE edited ALTER COLUMN v TYPE numeric");
        editRows();
        cluster.run("DROP TABLE edited");
    }

    private static void editRows() throws SQLException {
        for (int i = 0; i < TRANSACTIONS; i++) {
            try (Connection client = cluster.connect();
                    Statement statement =
                            client.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                    ResultSet rows = statement.executeQuery("SELECT id, v FROM edited")) {
                client.setAutoCommit(i % 2 == 0);
                assertThat(rows.next()).isTrue();
                rows.updateInt(2, i);
                rows.updateRow();
                rows.refreshRow();
                assertThat(rows.getInt(2)).isEqualTo(i);
                if (!client.getAutoCommit()) {
                    client.commit();
                }
            }
        }
    }

    /** The engine keeps the types of parameters for as long as a statement is prepared. */
    @Test
    void shouldReadParametersByTheTypesOfTheAlteredTable() throws SQLException {
        cluster.run("CREATE TABLE dated (id int, v date)");
        String insertion = "INSERT INTO dated VALUES (1, ?)";
        Calendar india = Calendar.getInstance(TimeZone.getTimeZone("Asia/Kolkata"));
        Use use = statement -> {
            statement.setDate(1, new Date(0), india);
            assertThat(statement.executeUpdate()).isEqualTo(1);
        };
        useOften(insertion, use);
        cluster.run("DROP TABLE dated", "CREATE TABLE dated (id int, v timestamptz)");
        useOften(insertion, use);
        String moments = "SELECT count(*) FROM dated WHERE v = '1970-01-01 00:00:00+05:30'";
        assertThat(cluster.onMaster(moments)).isEqualTo(String.valueOf(TRANSACTIONS));
        cluster.run("DROP TABLE dated");
    }

    @Test
    void shouldReadParametersByTheTypesThatTheTransactionHasChanged() throws SQLException {
        cluster.run("CREATE TABLE dated (id int, v date)");
        Calendar india = Calendar.getInstance(TimeZone.getTimeZone("Asia/Kolkata"));
        try (Connection client = cluster.connect();
                PreparedStatement insertion = client.prepareStatement("INSERT INTO dated VALUES (2, ?)")) {
            client.setAutoCommit(false);
            insertion.setDate(1, new Date(0), india);
            for (int i = 0; i < 3; i++) {
                insertion.executeUpdate();
            }
            Sql.run(client, "DELETE FROM dated", "ALTER TABLE dated ALTER COLUMN v TYPE timestamptz");
            insertion.executeUpdate();
            assertThat(Sql.text(client, "SELECT count(*) FROM dated WHERE v = '1970-01-01 00:00:00+05:30'"))
                    .isEqualTo("1");
            client.rollback();
        }
        cluster.run("DROP TABLE dated");
    }

    /** A connection that is used first while the satellite applies a schema change keeps plans from before. */
    @Tag("exhaustive")
    @Test
    void shouldReadATableThatWasAlteredAfterTheFirstUseOfTheConnection() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (TestCluster small = TestCluster.of("""
                engine: postgresql
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m, pool: 2}
                """).awaitOnline()) {
            for (String table : List.of("steady", "blocked", "changed")) {
                small.run("CREATE TABLE %s AS SELECT generate_series(1, 100) AS id".formatted(table));
            }
            small.awaitApplied();
            try (Connection direct = small.direct("satellite");
                    Connection watch = small.direct("satellite");
                    Connection holder = reader(small);
                    Connection streaming = small.connect();
                    Connection queued = reader(small);
                    Connection writer = small.connect();
                    Statement stream = streaming.createStatement()) {
                direct.setAutoCommit(false);
                Sql.run(direct, "LOCK TABLE blocked IN ACCESS SHARE MODE"); // as a long read
                read(holder, "steady"); // one of the two connections
                stream.setFetchSize(10);
                try (ResultSet rows = stream.executeQuery("SELECT * FROM steady")) {
                    rows.next(); // the other one
                    Future<?> reading = other.submit(() -> {
                        for (int i = 0; i < 10; i++) {
                            assertThat(read(queued, "changed")).isEqualTo(1);
                        }
                        queued.commit();
                        return null;
                    });
                    TimeUnit.MILLISECONDS.sleep(500); // the read is bound to the satellite, and waits for a connection
                    writer.setAutoCommit(false);
                    Sql.run(writer, "ALTER TABLE blocked ADD COLUMN n int", "ALTER TABLE changed ADD COLUMN n int");
                    writer.commit();
                    String waiting =
                            "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'blocked'::regclass";
                    while ("0".equals(Sql.text(watch, waiting))) {
                        TimeUnit.MILLISECONDS.sleep(10);
                    }
                    rows.close();
                    reading.get(60, TimeUnit.SECONDS);
                }
                direct.rollback();
                small.awaitApplied();
                try (Connection later = reader(small)) {
                    read(later, "steady");
                    assertThat(read(later, "changed")).as("columns").isEqualTo(2);
                    later.commit();
                }
            }
        } finally {
            other.shutdownNow();
        }
    }
}
