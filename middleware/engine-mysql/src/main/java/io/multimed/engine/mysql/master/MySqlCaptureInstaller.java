// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.master.CaptureInstaller;
import io.multimed.engine.mysql.connection.MySqlServer;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.schema.AnswerSettings;
import io.multimed.engine.mysql.schema.TableIdentities;
import io.multimed.engine.mysql.schema.Views;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the tables and procedures of {@code mysql/install.sql} and the triggers on the replicated tables. Detects
 * changes of tables that bypassed Multimed.
 */
public final class MySqlCaptureInstaller implements CaptureInstaller {
    private static final Logger LOG = LoggerFactory.getLogger(MySqlCaptureInstaller.class);

    /** The longest wait for the lock on a table, in seconds: writers of the table queue behind this wait. */
    private static final int WATCH_SECONDS = 2;

    private final String engine;

    /** @param engine the engine's name in the System Model */
    public MySqlCaptureInstaller(String engine) {
        this.engine = engine;
    }

    /**
     * Compares tables, views and settings with their state when Multimed last ran. If rows, or results of queries, may
     * have changed without a trigger, or if DDL was not recorded ({@code multimed.intent}), all satellites are copied
     * again. Writes that bypass the middleware are always refused; {@code captureBypassing} has no effect.
     */
    @Override
    public void install(Connection master, ReplicatedTables held, boolean captureBypassing) throws SQLException {
        MasterSettings.check(master, engine);
        Queries.execute(master, MySqlServer.SCRIPTS.script("install"));
        if (!MySqlServer.isMariaDb(master)) {
            Queries.execute(master, MySqlServer.SCRIPTS.script("sessions"));
        }
        boolean told = Queries.number(master, "SELECT COUNT(*) FROM multimed.intent") == 0;
        Queries.execute(master, "DELETE FROM multimed.changing");
        Capture capture = new Capture(master);
        TableIdentities identities = new TableIdentities(master, capture.schema());
        boolean known = identities.areAsNoted();
        known &= capture.watchAll(held);
        identities.noteAll(capture.forms());
        known &= new Views(master, capture.schema()).noteAll();
        known &= AnswerSettings.note(master);
        if (!known || !told) {
            // Rows, or the server's results for them, may have changed without a trigger.
            beginAnew(master);
            Queries.execute(master, "DELETE FROM multimed.intent");
        }
        Queries.end(master);
    }

    /** Gives the history another identifier, so that all satellites are seeded again. */
    private static void beginAnew(Connection master) throws SQLException {
        Queries.execute(master, "UPDATE multimed.base SET cluster = UUID()");
    }

    /**
     * Looks up the identities that the storage engine gives to tables ({@link TableIdentities}). If a client locks one
     * of the tables, or changes tables through Multimed meanwhile, a later call repeats the attempt. Also forgets
     * sessions that have ended.
     */
    @Override
    public boolean recapture(Connection master, ReplicatedTables held) throws SQLException {
        Capture capture = new Capture(master);
        TableIdentities identities = new TableIdentities(master, capture.schema());
        boolean same = identities.areAsNoted();
        Queries.end(master);
        ForeignSessions.forgetEnded(master, "multimed.session", "multimed.role_session");
        if (same) {
            return false;
        }
        Set<String> known = identities.names();
        capture.forms().forEach(form -> known.add(form.table().toLowerCase(Locale.ROOT)));
        try {
            captureTables(master, held.with(known));
        } catch (SQLException e) {
            LOG.warn(
                    "capture cannot be installed yet on tables that DDL changed on the master without Multimed: {}",
                    e.getMessage());
            master.rollback();
            // A later call tries again.
            return false;
        }
        identities.noteAll(capture.forms());
        identities.noteGone(known, capture.forms());
        if (identities.isBusyNow()) {
            master.rollback();
            return false;
        }
        beginAnew(master);
        Queries.end(master);
        return true;
    }

    /** Waits {@value #WATCH_SECONDS} seconds for each table. */
    @Override
    public void captureTables(Connection master, ReplicatedTables held) throws SQLException {
        // Writers of the table queue behind this wait.
        Queries.execute(master, "SET lock_wait_timeout = " + WATCH_SECONDS);
        try {
            new Capture(master).watchAll(held);
            Queries.end(master);
        } finally {
            Queries.execute(master, "SET lock_wait_timeout = DEFAULT");
        }
    }
}
