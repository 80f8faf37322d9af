package io.multimed.middleware.node.engine.mysql;

import io.multimed.middleware.node.engine.CopySnapshot;
import io.multimed.middleware.node.engine.NodeAccess;
import io.multimed.middleware.writeset.Relation;
import io.multimed.middleware.writeset.Scn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A consistent snapshot. Fingerprints are the SHA-256 of rows in the form in which they are captured. Each table is read below a savepoint that is rolled back after, which gives up
 * the lock on its definition, so that DDL waits for one table at most.
 */
final class MySqlSnapshot implements CopySnapshot {
    private static final Logger LOG = LoggerFactory.getLogger(MySqlSnapshot.class);

    private static final String SUMS = """
            SELECT CAST(CONV(LEFT(%1$s, 8), 16, 10) AS UNSIGNED) & %4$d AS bucket, COUNT(*), SUM(CAST(CONV(LEFT(%2$s, 16), 16, 10) AS UNSIGNED))
            FROM %3$s AS t GROUP BY bucket""";
    private static final String ROWS = """
            SELECT key_print, row_print, label FROM (SELECT %1$s AS key_print, %2$s AS row_print, LEFT(%3$s, 200) AS label FROM %4$s AS t) AS prints
            WHERE CAST(CONV(LEFT(key_print, 8), 16, 10) AS UNSIGNED) & %5$d IN (%6$s) ORDER BY key_print, row_print""";

    private static final int BEGIN_MILLIS = 5_000;

    private final Connection connection;
    private final Map<Long, TableForm> forms = new HashMap<>();

    MySqlSnapshot(NodeAccess access) throws SQLException {
        this.connection = Connections.own(access);
    }

    @Override
    public void begin() throws SQLException {
        connection.setNetworkTimeout(Runnable::run, BEGIN_MILLIS);
        new MySqlMasterStore().beginSnapshot(connection);
        Capture.forms(connection, "").forEach(form -> forms.put(form.id(), form));
        connection.setNetworkTimeout(Runnable::run, 0);
    }

    @Override
    public Scn lastBypassing() {
        return Scn.ZERO;
    }

    @Override
    public List<Relation> relations() throws SQLException {
        return forms.values().stream().map(TableForm::relation).toList();
    }

    @Override
    public Set<String> tableNames() throws SQLException {
        return new HashSet<>(Queries.texts(
                connection,
                "SELECT CONCAT(TABLE_SCHEMA, '.', TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'BASE TABLE'",
                connection.getCatalog()));
    }

    @Override
    public Map<Integer, BucketSum> sums(Relation table, int buckets) throws SQLException {
        TableForm form = form(table);
        String sql = SUMS.formatted(keyPrint(form), rowPrint(form), Names.table(table), buckets - 1);
        return releasingLocks(() -> {
            Map<Integer, BucketSum> found = new HashMap<>();
            try (PreparedStatement statement = connection.prepareStatement(sql);
                    ResultSet sums = statement.executeQuery()) {
                while (sums.next()) {
                    found.put(sums.getInt(1), new BucketSum(sums.getLong(2), sums.getString(3)));
                }
            }
            return found;
        });
    }

    @Override
    public void rows(Relation table, int buckets, Set<Integer> wanted, RowsReader reader) throws SQLException {
        TableForm form = form(table);
        String sql = ROWS.formatted(
                keyPrint(form),
                rowPrint(form),
                label(form),
                Names.table(table),
                buckets - 1,
                wanted.stream().map(String::valueOf).collect(Collectors.joining(",")));
        releasingLocks(() -> {
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(Integer.MIN_VALUE); // the driver's word for: row by row
                try (ResultSet rows = statement.executeQuery(sql)) {
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

    private TableForm form(Relation table) throws SQLException {
        TableForm form = forms.get(table.id());
        if (form == null) {
            throw new SQLException("%s is not there in this form".formatted(table.name()), "XX001");
        }
        return form;
    }

    private static String keyPrint(TableForm form) {
        return form.hasKey() ? "SHA2(CONCAT(" + key(form) + "), 256)" : rowPrint(form);
    }

    private static String key(TableForm form) {
        return form.keyPositions().stream()
                .map(position -> form.columns().get(position).captured("t"))
                .collect(Collectors.joining(", "));
    }

    private static String rowPrint(TableForm form) {
        return "SHA2(CONCAT(" + form.capturedRow("t") + "), 256)";
    }

    private static String label(TableForm form) {
        return form.columns().stream()
                .filter(column -> !form.hasKey()
                        || form.keyPositions().contains(form.columns().indexOf(column)))
                .map(column -> "CAST(t." + Names.identifier(column.name()) + " AS CHAR)")
                .collect(Collectors.joining(", ", "CONCAT_WS(', ', ", ")"));
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
