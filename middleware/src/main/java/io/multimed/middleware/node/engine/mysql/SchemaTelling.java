package io.multimed.middleware.node.engine.mysql;

import io.multimed.middleware.node.engine.sql.SchemaChange;
import io.multimed.middleware.node.engine.sql.SchemaChange.Action;
import io.multimed.middleware.node.engine.sql.SchemaChange.ObjectName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a statement's schema changes to the satellites. The engine commits the statement by itself, and permits other
 * writes as soon as it has ended. Before the statement, a separate WriteSet therefore removes the tables from the
 * satellites; after it, another WriteSet contains the new definitions with all rows, read under locks that are held
 * until that WriteSet is sealed. In between only the master answers for the tables. This does not require parsing the
 * statement beyond the names in it.
 *
 * <p>A statement that is known to leave the rows unchanged ({@link IndexStatements}) sends nothing before. If the table
 * has the same rows and triggers after it, satellites receive only the new indexes, under the id with which rows
 * continue to be captured; otherwise the above applies.
 *
 * <p>A change that cannot be sent immediately after the statement is sent later, by another connection. If the
 * middleware ends before, the entry in {@code multimed.intent} makes the next start copy all satellites again.
 */
final class SchemaTelling {
    private static final String SNAPSHOTS = "innodb_snapshot_isolation";

    private static final Logger LOG = LoggerFactory.getLogger(SchemaTelling.class);
    private static final int DEADLOCK = 1213;
    private static final int TRIES = 10;

    /** Reads the settings as a SET list. */
    private static final String SETTINGS =
            "SELECT CONCAT('sql_mode = ', QUOTE(@@sql_mode), ', collation_connection = ', @@collation_connection, ', lock_wait_timeout = ', @@lock_wait_timeout, ', innodb_lock_wait_timeout = ', @@innodb_lock_wait_timeout)";

    private final Connection open;
    private final SchemaChange change;
    private final Capture capture;
    private final String schema;
    private final Views views;
    private final List<String> problems = new ArrayList<>();

    SchemaTelling(Connection open, SchemaChange change) throws SQLException {
        this.open = open;
        this.change = change;
        this.capture = new Capture(open);
        this.schema = capture.schema();
        this.views = new Views(open, schema);
    }

    /**
     * Before the statement.
     *
     * @return whether there is something to seal; if not, the intent is committed
     */
    boolean announce() throws SQLException {
        boolean announced = false;
        Queries.run(open, "INSERT IGNORE INTO multimed.intent VALUES (CONNECTION_ID())");
        for (String table : leavesTablesAlone() ? Set.<String>of() : concerned()) {
            Optional<TableForm> form = capture.form(table);
            if (form.isPresent() && !IndexStatements.leavesRowsAlone(change, form.get())) {
                capture.takeAway(form.get());
                announced = true;
            }
        }
        announced |= views.takeAway(viewsNamed());
        if (!announced) {
            open.commit();
        }
        return announced;
    }

    /** CREATE makes what is not there yet, or fails; only some engines let it replace. */
    private boolean leavesTablesAlone() {
        return change.action() == Action.CREATE
                && change.object().equals("TABLE")
                && !change.sql().toUpperCase(Locale.ROOT).contains("REPLACE");
    }

    /**
     * Called after the statement.
     *
     * @param change null if it is known to affect no table
     * @param seconds maximum wait for locks
     * @throws SQLException 0A000 if a new table cannot be replicated: it exists on the master only
     */
    static void tell(Connection open, @Nullable SchemaChange change, int seconds) throws SQLException {
        if (change == null) {
            return;
        }
        SessionChanges changes = SessionChanges.of(open);
        Set<String> noted = changes.noted();
        String before = Queries.texts(open, SETTINGS).get(0);
        Queries.run(
                open,
                "SET sql_mode = '%s', collation_connection = utf8mb4_bin, lock_wait_timeout = %d, innodb_lock_wait_timeout = %d"
                        .formatted(Connections.STEADY_MODE, seconds, seconds));
        setSnapshots(open, "OFF");
        try {
            new SchemaTelling(open, change).tell();
        } finally {
            Queries.run(open, "SET " + before);
            changes.reset(noted);
            setSnapshots(open, "OFF"); // counts as a change of the session until {@link #told}
        }
    }

    /**
     * Called after the commit of the recorded change, or its failure: until then the seal must read the current data,
     * too.
     */
    static void told(Connection open) throws SQLException {
        SessionChanges changes = SessionChanges.of(open);
        Set<String> others = new TreeSet<>(changes.noted());
        others.remove(SNAPSHOTS);
        setSnapshots(open, "ON");
        changes.reset(others);
    }

    /** Reads here take locks and must see the current data, regardless of the transaction's snapshot. */
    private static void setSnapshots(Connection open, String isolated) throws SQLException {
        if (MySqlEngine.isMariaDb(open)) {
            Queries.run(open, "SET " + SNAPSHOTS + " = " + isolated);
        }
    }

    private void tell() throws SQLException {
        List<TableForm> now = new ArrayList<>();
        List<TableForm> gone = new ArrayList<>();
        List<String> same = new ArrayList<>();
        Set<String> concerned = concerned();
        for (String table : concerned) {
            Optional<TableForm> before = capture.form(table);
            Optional<TableForm> current = capture.current(table, problems);
            if (current.isEmpty()) {
                capture.unwatch(table);
                before.ifPresent(gone::add);
            } else if (before.isPresent() && capture.hasSameRows(before.get(), current.get())) {
                same.add(table);
            } else {
                now.add(watched(current.get())); // so that all later changes are captured
            }
        }
        for (int tries = 1; !tryTell(now, gone, same, concerned, tries == TRIES); tries++) {
            open.rollback();
        }
        report(now.isEmpty() && gone.isEmpty());
    }

    /**
     * If the statement failed and the table is unchanged, its triggers are not installed again, because that would wait
     * for all users of the table.
     */
    private TableForm watched(TableForm now) throws SQLException {
        Optional<TableForm> away = capture.formAway(now.table());
        return away.isPresent() && capture.isWatched(away.get(), now)
                ? now.withId(away.get().id())
                : capture.rewatch(now);
    }

    private Set<String> concerned() throws SQLException {
        Set<String> tables = new LinkedHashSet<>();
        if (change.concernsTables()) {
            tables.addAll(named());
        } else if (change.object().equals("DATABASE")) {
            capture.forms().forEach(form -> tables.add(form.table()));
            tables.addAll(capture.tables());
        }
        return tables;
    }

    private Set<String> named() throws SQLException {
        String used = Queries.texts(open, "SELECT COALESCE(DATABASE(), '')").get(0);
        return change.names().stream()
                .filter(name -> schema.equalsIgnoreCase(name.schema().isEmpty() ? used : name.schema()))
                .map(ObjectName::name)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** RENAME TABLE is for views, too. */
    private Set<String> viewsNamed() throws SQLException {
        return switch (change.object()) {
            case "VIEW", "TABLE" -> named();
            case "DATABASE" -> Views.told(open).stream().map(Views.View::name).collect(Collectors.toSet());
            default -> Set.of();
        };
    }

    private boolean tryTell(
            List<TableForm> now, List<TableForm> gone, List<String> same, Set<String> concerned, boolean last)
            throws SQLException {
        try {
            open.commit();
            // Reading under this level locks all rows and all places where others could come.
            Queries.run(open, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
            for (TableForm form : gone) {
                capture.takeAway(form);
            }
            for (TableForm form : now) {
                capture.bring(form);
            }
            for (String table : same) {
                change(table);
            }
            views.bring(viewsNamed());
            capture.forgetAway(concerned);
            new TableIdentities(open, schema).note(concerned, capture.forms());
            Queries.run(open, "DELETE FROM multimed.intent WHERE connection = CONNECTION_ID()");
            return true;
        } catch (SQLException e) {
            if (last || e.getErrorCode() != DEADLOCK) {
                throw e;
            }
            return false;
        }
    }

    /**
     * In the open transaction: the table still has its rows, and satellites change its indexes themselves. A concurrent
     * change of the table reads it later, too; a concurrent DROP propagates its own index changes.
     */
    private void change(String table) throws SQLException {
        Queries.number(open, "SELECT one FROM multimed.base FOR UPDATE");
        Optional<TableForm> before = capture.form(table);
        Optional<TableForm> current = capture.current(table, problems);
        if (before.isEmpty() || current.isEmpty()) {
            return;
        }
        if (!TableIndexes.differAtMost(before.get(), current.get())) {
            throw new SQLException(
                    "table %s was changed by another statement at the same time".formatted(table), "XX000");
        }
        if (!Arrays.equals(before.get().encode(), current.get().encode())) {
            capture.change(current.get().withId(before.get().id()));
        }
    }

    private void report(boolean nothingToTell) throws SQLException {
        if (problems.isEmpty()) {
            return;
        }
        String message =
                String.join(System.lineSeparator(), problems) + "; it is the master's alone: satellites do not have it";
        LOG.warn(message);
        if (nothingToTell) {
            open.commit();
            throw new SQLException(message, "0A000");
        }
    }
}
