package io.multimed.middleware.node.engine.postgresql;

import io.multimed.middleware.node.engine.CopySnapshot;
import io.multimed.middleware.node.engine.NodeAccess;
import io.multimed.middleware.writeset.Relation;
import io.multimed.middleware.writeset.Scn;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A REPEATABLE READ transaction. Fingerprints are MD5: it is the same in every version. Each table is read below a savepoint that is rolled back after, which gives up the
 * table's lock, so that DDL waits for one table at most.
 */
final class PostgresSnapshot implements CopySnapshot {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresSnapshot.class);

    /** All that a row's text depends on is fixed, so that it is the same on every node. */
    private static final String OPTIONS = "-c datestyle=ISO -c intervalstyle=postgres -c extra_float_digits=1"
            + " -c timezone=UTC -c bytea_output=hex -c lc_monetary=C -c search_path= -c jit=off -c statement_timeout=0"
            + " -c idle_in_transaction_session_timeout=0 -c default_transaction_read_only=on"
            + " -c default_transaction_isolation=repeatable\\ read";

    private static final String TABLES = """
            SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'r' AND c.relpersistence <> 't'
            AND n.nspname NOT IN ('multimed', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'""";

    private static final String SUMS = """
            SELECT bucket, count(*), sum(fingerprint)::text FROM (
                SELECT ('x' || left(%1$s, 8))::bit(32)::bigint & ? AS bucket, ('x' || left(%2$s, 16))::bit(64)::bigint AS fingerprint
                FROM ONLY %3$s AS t) AS rows GROUP BY bucket""";
    private static final String ROWS = """
            SELECT %1$s AS key, %2$s AS row, left(%4$s, 200) FROM ONLY %3$s AS t
            WHERE ('x' || left(%1$s, 8))::bit(32)::bigint & ? = ANY (?) ORDER BY 1, 2""";

    private static final int FETCHED = 1_000;
    private static final int BEGIN_MILLIS = 5_000;

    private final Connection connection;

    PostgresSnapshot(NodeAccess access) throws SQLException {
        Properties properties = PostgresEngine.properties(access);
        properties.setProperty("options", OPTIONS);
        this.connection = DriverManager.getConnection(access.url(), properties);
        this.connection.setAutoCommit(false);
    }

    @Override
    public void begin() throws SQLException {
        connection.setNetworkTimeout(Runnable::run, BEGIN_MILLIS);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
        }
        connection.setNetworkTimeout(Runnable::run, 0);
    }

    @Override
    public Scn lastBypassing() throws SQLException {
        return new PostgresBypassStore().last(connection);
    }

    @Override
    public List<Relation> relations() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return PostgresMasterStore.relations(statement);
        }
    }

    @Override
    public Set<String> tableNames() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return Set.copyOf(SatelliteCatalog.texts(statement, TABLES));
        }
    }

    @Override
    public Map<Integer, BucketSum> sums(Relation table, int buckets) throws SQLException {
        String sql = SUMS.formatted(key(table), row(table), Quoting.table(table));
        return releasingLocks(() -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setLong(1, buckets - 1L);
                try (ResultSet sums = statement.executeQuery()) {
                    Map<Integer, BucketSum> found = new HashMap<>();
                    while (sums.next()) {
                        found.put(sums.getInt(1), new BucketSum(sums.getLong(2), sums.getString(3)));
                    }
                    return found;
                }
            }
        });
    }

    @Override
    public void rows(Relation table, int buckets, Set<Integer> wanted, RowsReader reader) throws SQLException {
        String label = table.hasKey() ? rowOf(table, table.keyPositions()) : text(table);
        String sql = ROWS.formatted(key(table), row(table), Quoting.table(table), label);
        releasingLocks(() -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setFetchSize(FETCHED);
                statement.setLong(1, buckets - 1L);
                statement.setArray(
                        2,
                        connection.createArrayOf(
                                "bigint",
                                wanted.stream().map(Integer::longValue).toArray()));
                try (ResultSet rows = statement.executeQuery()) {
                    reader.read(() ->
                            rows.next() ? new RowPrint(rows.getString(1), rows.getString(2), rows.getString(3)) : null);
                }
            }
            return true;
        });
    }

    private interface Reading<T> {
        T run() throws SQLException;
    }

    private <T> T releasingLocks(Reading<T> reading) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            return reading.run();
        } finally {
            connection.rollback(before);
        }
    }

    private static String key(Relation table) {
        return table.hasKey() ? "md5(" + rowOf(table, table.keyPositions()) + ")" : row(table);
    }

    private static String row(Relation table) {
        return "md5(" + text(table) + ")";
    }

    private static String text(Relation table) {
        return rowOf(table, IntStream.range(0, table.columns().size()).boxed().toList());
    }

    private static String rowOf(Relation table, List<Integer> positions) {
        return positions.stream()
                .map(position -> "t." + Quoting.identifier(table.columns().get(position)))
                .collect(Collectors.joining(", ", "ROW(", ")::text"));
    }

    @Override
    public void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            LOG.debug("a snapshot's connection is broken already", e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.debug("a snapshot's connection did not close cleanly", e);
        }
    }
}
