// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.satellite;

import io.multimed.engine.mysql.connection.Connections;
import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.master.Capture;
import io.multimed.engine.mysql.master.MySqlSeedSource;
import io.multimed.engine.mysql.schema.TableForm;
import io.multimed.engine.mysql.schema.TableReader;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.satellite.TransactionSnapshot;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.Scn;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Compares copies in consistent snapshots. Fingerprints are SHA-256 of rows in the format in which they are captured.
 */
public final class MySqlSnapshot extends TransactionSnapshot {
    /** Groups rows by bits of the key's fingerprint, and adds up 64 bits of the rows' fingerprints. */
    private static final String SUMS = """
            SELECT CAST(CONV(LEFT(%1$s, 8), 16, 10) AS UNSIGNED) & %4$d AS bucket, COUNT(*), SUM(CAST(CONV(LEFT(%2$s, 16), 16, 10) AS UNSIGNED))
            FROM %3$s AS t GROUP BY bucket""";

    private static final String ROWS = """
            SELECT key_print, row_print, label FROM (SELECT %1$s AS key_print, %2$s AS row_print, LEFT(%3$s, 200) AS label FROM %4$s AS t) AS prints
            WHERE CAST(CONV(LEFT(key_print, 8), 16, 10) AS UNSIGNED) & %5$d IN (%6$s) ORDER BY key_print, row_print""";

    /** The named lock that identifies the session of a comparison. */
    static final String LOCK = "'multimed_comparison'";

    private final Map<Long, TableForm> forms = new HashMap<>();

    public MySqlSnapshot(NodeAccess access) throws SQLException {
        super(Connections.own(access));
    }

    /** Reads the forms of the tables in the same snapshot. */
    @Override
    protected void take() throws SQLException {
        Queries.number(connection, "SELECT COALESCE(GET_LOCK(" + LOCK + ", 0), 0)");
        Queries.end(connection);
        new MySqlSeedSource().beginSnapshot(connection);
        Capture.forms(connection, "").forEach(form -> forms.put(form.id(), form));
    }

    /** Returns {@link Scn#ZERO}: on these engines, writes that bypass the middleware are refused, never captured. */
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
    public Set<String> pendingTables() throws SQLException {
        return Capture.formsAway(connection).stream()
                .map(form -> form.relation().name())
                .collect(Collectors.toSet());
    }

    @Override
    protected String readDefinition(Relation table) throws SQLException {
        return TableReader.definition(connection, table.schema(), table.table());
    }

    @Override
    protected PreparedStatement sumsQuery(Relation table, int buckets) throws SQLException {
        TableForm form = form(table);
        return connection.prepareStatement(
                SUMS.formatted(keyPrint(form), rowPrint(form), Names.table(table), buckets - 1));
    }

    @Override
    protected PreparedStatement rowsQuery(Relation table, int buckets, Set<Integer> wanted) throws SQLException {
        TableForm form = form(table);
        PreparedStatement query = connection.prepareStatement(ROWS.formatted(
                keyPrint(form),
                rowPrint(form),
                label(form),
                Names.table(table),
                buckets - 1,
                wanted.stream().map(String::valueOf).collect(Collectors.joining(","))));
        // Selects row-by-row transfer in the driver.
        query.setFetchSize(Integer.MIN_VALUE);
        return query;
    }

    /** @throws SQLException XX001 if the snapshot does not contain the table in this form */
    private TableForm form(Relation table) throws SQLException {
        TableForm form = forms.get(table.id());
        if (form == null) {
            throw new SQLException("%s is not there in this form".formatted(table.name()), "XX001");
        }
        return form;
    }

    /** Returns the expression for the key's fingerprint; without a key, that of the row's fingerprint. */
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

    /** Returns the expression for the key in a form for people; without a key, for the whole row. */
    private static String label(TableForm form) {
        return form.columns().stream()
                .filter(column -> !form.hasKey()
                        || form.keyPositions().contains(form.columns().indexOf(column)))
                .map(column -> "COALESCE(CAST(t." + Names.identifier(column.name()) + " AS CHAR), '')")
                .collect(Collectors.joining(", ", "CONCAT('(', CONCAT_WS(',', ", "), ')')"));
    }
}
