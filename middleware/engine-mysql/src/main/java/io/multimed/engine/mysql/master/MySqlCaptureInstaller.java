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
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the tables and triggers of {@code mysql/install.sql}, and detects what was done to tables past them. */
public final class MySqlCaptureInstaller implements CaptureInstaller {
    private static final Logger LOG = LoggerFactory.getLogger(MySqlCaptureInstaller.class);

    private static final int WATCH_SECONDS = 2;

    @Override
    public void install(Connection master, ReplicatedTables held, boolean captureBypassing) throws SQLException {
        MasterSettings.check(master);
        Queries.run(master, MySqlServer.SCRIPTS.script("install"));
        boolean told = Queries.number(master, "SELECT COUNT(*) FROM multimed.intent") == 0;
        Queries.run(master, "DELETE FROM multimed.changing");
        Capture capture = new Capture(master);
        TableIdentities identities = new TableIdentities(master, capture.schema());
        boolean known = identities.areAsNoted();
        known &= capture.watchAll(held);
        identities.noteAll(capture.forms());
        known &= new Views(master, capture.schema()).noteAll();
        known &= AnswerSettings.note(master);
        if (!known || !told) {
            // Rows may have changed unseen, or what the server makes of them.
            beginAnew(master);
            Queries.run(master, "DELETE FROM multimed.intent");
        }
        Queries.end(master);
    }

    /** The history gets another name, which makes all satellites begin anew. */
    private static void beginAnew(Connection master) throws SQLException {
        Queries.run(master, "UPDATE multimed.base SET cluster = UUID()");
    }

    @Override
    public boolean recapture(Connection master, ReplicatedTables held) throws SQLException {
        Capture capture = new Capture(master);
        TableIdentities identities = new TableIdentities(master, capture.schema());
        boolean same = identities.areAsNoted();
        Queries.end(master);
        if (same) {
            return false;
        }
        Set<String> known = identities.names();
        capture.forms().forEach(form -> known.add(form.table().toLowerCase(Locale.ROOT)));
        Set<String> names = new HashSet<>(held.names());
        names.addAll(known);
        try {
            captureTables(master, new ReplicatedTables(held.all(), names));
        } catch (SQLException e) {
            LOG.warn("tables that were changed past Multimed cannot be put under capture yet: {}", e.getMessage());
            master.rollback();
            return false; // it is tried again
        }
        identities.noteAll(capture.forms());
        identities.noteGone(known, capture.forms());
        beginAnew(master);
        Queries.end(master);
        return true;
    }

    @Override
    public void captureTables(Connection master, ReplicatedTables held) throws SQLException {
        Queries.run(master, "SET lock_wait_timeout = " + WATCH_SECONDS); // whoever writes to the table waits behind us
        try {
            new Capture(master).watchAll(held);
            Queries.end(master);
        } finally {
            Queries.run(master, "SET lock_wait_timeout = DEFAULT");
        }
    }
}
