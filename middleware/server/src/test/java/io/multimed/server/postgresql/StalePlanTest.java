package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A satellite's connections keep prepared statements of all clients. A schema change that gives the result of such a
 * statement another form ends no read-only transaction: the client has not prepared the statement before.
 */
@Timeout(600)
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
        Connection reader = cluster.connect();
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
}
