// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.satellite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.multimed.engine.mysql.connection.MySqlServer;
import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.master.Capture;
import io.multimed.engine.mysql.schema.AnswerSettings;
import io.multimed.engine.mysql.schema.TableForm;
import io.multimed.engine.mysql.schema.Views;
import io.multimed.engine.mysql.schema.ZoneTables;
import io.multimed.engine.satellite.SatelliteStore.SeedProgress;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies the master's tables to a satellite, as one snapshot of the master sees them (architecture 4.3). Rows are
 * streamed in the format in which changed rows are captured, so that memory does not grow with their number. The
 * caller writes the applied SCN last: a copy that was interrupted does not count as a copy. Both connections belong to
 * the caller.
 */
final class MySqlSeeder {
    /** Maximum number of rows that are collected for one call of the writer. */
    private static final int ROWS = 5_000;

    /** Number of characters above which the collected rows are written, too. */
    private static final int CHARACTERS = 4 << 20;

    /** Limits the wait for a lock that a client's DDL holds on a table of the master. */
    private static final String LOCK_LIMIT = "SET lock_wait_timeout = 30";

    /** Error number of an expired {@code lock_wait_timeout}. */
    private static final int LOCK_WAIT = 1205;

    private final Connection master;
    private final Connection satellite;
    private final ReplicatedTables held;
    private final SeedProgress progress;

    MySqlSeeder(Connection master, Connection satellite, ReplicatedTables held, SeedProgress progress) {
        this.master = master;
        this.satellite = satellite;
        this.held = held;
        this.progress = progress;
    }

    /**
     * Replaces everything on the satellite. Tables that are away are only registered, so that rows captured under
     * their ids are ignored until their new form arrives.
     */
    void copy() throws SQLException {
        Queries.execute(master, LOCK_LIMIT);
        clear();
        AnswerSettings.copy(master, satellite);
        SatelliteCatalog catalog = new SatelliteCatalog(satellite);
        for (TableForm form : Capture.formsAway(master)) {
            catalog.put(form);
            catalog.takeAway(form.id());
        }
        for (TableForm form : Capture.forms(master, "")) {
            catalog.put(form);
            if (held.includes(form.schema(), form.table())) {
                Queries.execute(satellite, "CREATE TABLE " + Names.table(form.schema(), form.table()) + form.body());
                copyUnlocked(form);
            }
        }
        new ViewMaker(satellite).run(Views.statements(Views.told(master)));
        // Last, because on some engines no savepoint can be set after it.
        ZoneTables.copy(master, satellite);
    }

    /** Drops and creates the replicated database and Multimed's own. */
    private void clear() throws SQLException {
        String database = Names.identifier(satellite.getCatalog());
        Queries.execute(
                satellite,
                "DROP DATABASE IF EXISTS multimed; DROP DATABASE %1$s; CREATE DATABASE %1$s; USE %1$s"
                        .formatted(database));
        Queries.execute(satellite, MySqlServer.SCRIPTS.script("satellite"));
    }

    /** @throws SQLException also error 1205, if a client has locked the table: the copy begins again later */
    private void copyUnlocked(TableForm form) throws SQLException {
        try {
            copyRows(form);
        } catch (SQLException e) {
            throw e.getErrorCode() == LOCK_WAIT
                    ? new SQLException(
                            "%s cannot be copied, because a session on the master has locked it for 30 s; see PROCESSLIST on the master"
                                    .formatted(form.relation().name()),
                            e.getSQLState(),
                            e.getErrorCode(),
                            e)
                    : e;
        }
    }

    /**
     * Copies one table. The snapshot keeps a lock on the definition of every table that was read; returning to a
     * savepoint releases it, so that DDL on the master waits for one table at most.
     */
    private void copyRows(TableForm form) throws SQLException {
        Savepoint before = master.setSavepoint();
        String query = "SELECT CONCAT(%s) FROM %s AS t"
                .formatted(form.capturedRow("t"), Names.table(form.schema(), form.table()));
        long rows = 0;
        try (Statement statement = master.createStatement()) {
            // Selects row-by-row transfer in the driver.
            statement.setFetchSize(Integer.MIN_VALUE);
            try (ResultSet from = statement.executeQuery(query)) {
                rows = copyRows(form, from);
            }
        }
        master.rollback(before);
        satellite.commit();
        progress.table(form.relation().name(), rows, null);
    }

    private long copyRows(TableForm form, ResultSet from) throws SQLException {
        RowWriter writer = new RowWriter(form, Names.table(form.schema(), form.table()));
        List<String> rows = new ArrayList<>();
        long characters = 0;
        long copied = 0;
        for (; from.next(); copied++) {
            String row = text(form, from);
            rows.add(row);
            characters += row.length();
            if (rows.size() == ROWS || characters > CHARACTERS) {
                writer.insert(satellite, rows);
                rows.clear();
                characters = 0;
            }
        }
        writer.insert(satellite, rows);
        return copied;
    }

    /**
     * Returns the captured text of a row.
     *
     * @throws SQLException 0A000 if the row exceeds the master's max_allowed_packet, for which CONCAT returns NULL
     */
    private static String text(TableForm form, ResultSet from) throws SQLException {
        byte[] row = from.getBytes(1);
        if (row == null) {
            throw new SQLException(
                    "%s has a row larger than the master's max_allowed_packet: raise it"
                            .formatted(form.relation().name()),
                    "0A000");
        }
        return new String(row, ISO_8859_1);
    }
}
