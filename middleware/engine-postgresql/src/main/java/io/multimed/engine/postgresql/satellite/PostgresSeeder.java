// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.satellite;

import static java.util.stream.Collectors.joining;

import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.connection.Quoting;
import io.multimed.engine.postgresql.connection.Relations;
import io.multimed.engine.satellite.SatelliteStore.SeedProgress;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;
import org.postgresql.copy.CopyOut;
import org.postgresql.core.BaseConnection;

/**
 * Copies the master's schema and rows to a satellite, as one snapshot of the master shows them, in one transaction of
 * the satellite (architecture 4.3). Tables that the satellite does not hold are created without rows, so that later DDL
 * finds them. Rows are streamed by COPY; memory does not grow with them. The caller owns both connections and ends the
 * transactions.
 */
final class PostgresSeeder {
    /**
     * Finds columns of users' types, whose values are transferred as text: their binary form contains the object
     * identifier of the type, which differs between engines.
     */
    private static final String HAS_OWN_TYPES = """
            SELECT 1 FROM pg_attribute WHERE attrelid = %d AND attnum > 0 AND NOT attisdropped AND atttypid >= 16384 LIMIT 1""";

    /** Settings under which a value's text is the same on both engines. */
    private static final String TEXT_FORM =
            "SET LOCAL datestyle = 'ISO'; SET LOCAL intervalstyle = 'postgres'; SET LOCAL extra_float_digits = 1; SET LOCAL timezone = 'UTC';"
                    + " SET LOCAL bytea_output = 'hex'; SET LOCAL lc_monetary = 'C'; SET LOCAL search_path = ''";

    /**
     * Limits the wait for a lock that a client holds on a table. Meanwhile the copy's own locks make other clients' DDL
     * wait, and the master keeps all versions of rows since the snapshot.
     */
    private static final String LOCK_LIMIT = "SET LOCAL lock_timeout = '30s'";

    private final Connection master;
    private final Connection satellite;
    private final ReplicatedTables held;
    private final SeedProgress progress;

    PostgresSeeder(Connection master, Connection satellite, ReplicatedTables held, SeedProgress progress) {
        this.master = master;
        this.satellite = satellite;
        this.held = held;
        this.progress = progress;
    }

    /** Copies everything; nothing is committed. */
    void copy() throws SQLException {
        try (Statement from = master.createStatement();
                Statement to = satellite.createStatement()) {
            from.execute(TEXT_FORM);
            from.execute(LOCK_LIMIT);
            to.execute(TEXT_FORM);
            to.execute("SET LOCAL enable_seqscan = on"); // for building indexes and checking constraints
            SchemaCopy schema = new SchemaCopy(from, to);
            schema.clear();
            schema.copyTables();
            for (Relation relation : Relations.all(from)) {
                if (held.includes(relation.schema(), relation.table())) {
                    copyUnlocked(from, relation);
                }
            }
            schema.copyIndexesAndViews();
        }
    }

    /** @throws SQLException also 55P03, if a client has locked the table: the copy begins again later */
    private void copyUnlocked(Statement from, Relation relation) throws SQLException {
        try {
            copyRows(from, relation);
        } catch (SQLException e) {
            throw Queries.isLockNotAvailable(e)
                    ? new SQLException(
                            "%s cannot be copied, because a transaction on the master has locked it for 30 s; see pg_locks on the master"
                                    .formatted(relation.name()),
                            e.getSQLState(),
                            e)
                    : e;
        }
    }

    /** Copies the rows of one table, without those of its children ({@code ONLY}), and reports their number. */
    private void copyRows(Statement from, Relation relation) throws SQLException {
        String table = Quoting.table(relation);
        String columns = relation.columns().stream().map(Quoting::identifier).collect(joining(", "));
        boolean text =
                !Queries.texts(from, HAS_OWN_TYPES.formatted(relation.id())).isEmpty();
        String format = text ? "(FORMAT text)" : "(FORMAT binary)";
        CopyOut out =
                manager(master).copyOut("COPY (SELECT %s FROM ONLY %s) TO STDOUT %s".formatted(columns, table, format));
        CopyIn in = manager(satellite)
                .copyIn("COPY %s%s FROM STDIN %s"
                        .formatted(table, columns.isEmpty() ? "" : " (" + columns + ")", format));
        for (byte[] rows = out.readFromCopy(); rows != null; rows = out.readFromCopy()) {
            in.writeToCopy(rows, 0, rows.length);
        }
        progress.table(relation.name(), in.endCopy(), null);
    }

    private static CopyManager manager(Connection connection) throws SQLException {
        return new CopyManager(connection.unwrap(BaseConnection.class));
    }
}
