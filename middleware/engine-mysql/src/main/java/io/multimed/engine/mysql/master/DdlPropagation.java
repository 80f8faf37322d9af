// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.mysql.connection.Connections;
import io.multimed.engine.mysql.connection.MySqlServer;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.connection.RoundTrip;
import io.multimed.engine.mysql.connection.SessionChanges;
import io.multimed.engine.mysql.schema.IndexStatements;
import io.multimed.engine.mysql.schema.TableForm;
import io.multimed.engine.mysql.schema.TableIdentities;
import io.multimed.engine.mysql.schema.TableIndexes;
import io.multimed.engine.mysql.schema.TableState;
import io.multimed.engine.mysql.schema.Views;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.sql.SchemaChange.Action;
import io.multimed.engine.sql.SchemaChange.ObjectName;
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
 * Sends the schema changes of a statement to the satellites (architecture 6.3). The engine commits the statement by
 * itself, and permits other writes as soon as the statement has ended. Before the statement, a separate WriteSet
 * therefore removes the tables from the satellites. After the statement, another WriteSet contains the new definitions
 * with all rows, read under locks that are held until that WriteSet is sealed. In between only the master answers for
 * the tables. This does not require parsing the statement beyond the names in it.
 *
 * <p>If a statement is known to leave the rows unchanged ({@link IndexStatements}), nothing is sent before the
 * statement. If the table then has the same rows and triggers, satellites receive only the new indexes, under the id
 * with which rows continue to be captured. Otherwise the table is sent with all its rows.
 *
 * <p>If several clients change a table at the same time, the table returns to the satellites with the last of their
 * statements ({@link RunningDdl}): earlier, satellites would have the table while another statement changes it.
 *
 * <p>A change that cannot be sent immediately after the statement is sent later, by another connection. If the
 * middleware ends before, the entry in {@code multimed.intent} makes the next start copy all satellites again.
 *
 * <p>An instance belongs to one call and one thread. The connection belongs to the caller.
 */
public final class DdlPropagation {
    /** MariaDB's setting under which a locking read fails if the row has changed since the snapshot. */
    private static final String SNAPSHOTS = "innodb_snapshot_isolation";

    private static final String LIMIT_ROWS = "SET sql_select_limit = ";

    private static final Logger LOG = LoggerFactory.getLogger(DdlPropagation.class);

    /** A deadlock, or a row that another transaction has changed since this one began: the work can be repeated. */
    private static final Set<Integer> CONFLICTS = Set.of(1213, 1020);

    private static final int TRIES = 10;

    /** Reads the settings that {@link #tell} changes, as a list for SET. */
    private static final String SETTINGS =
            "SELECT CONCAT('sql_mode = ', QUOTE(@@sql_mode), ', collation_connection = ', @@collation_connection, ', lock_wait_timeout = ', @@lock_wait_timeout, ', innodb_lock_wait_timeout = ', @@innodb_lock_wait_timeout)";

    private final Connection open;
    private final SchemaChange change;
    private final Capture capture;
    private final Place place;
    private final Views views;
    private final RunningDdl underWay;
    private final List<String> problems = new ArrayList<>();

    /** True if no other statement was changing any table when recording began. */
    private boolean alone;

    /** @param statements the numbers of the statements that make the change */
    private DdlPropagation(Connection open, SchemaChange change, Set<Long> statements, Place place) {
        this.open = open;
        this.change = change;
        this.place = place;
        this.underWay = new RunningDdl(open, statements);
        this.capture = new Capture(open, place.schema());
        this.views = new Views(open, place.schema());
    }

    /**
     * Announces a statement before it runs: registers the statement and the connection's intent, and removes the
     * tables and views from the satellites. Repeats the transaction after a conflict.
     *
     * @return whether there is something to seal; if not, the transaction is committed
     * @throws SQLException the last conflict after {@value #TRIES} attempts, or any other failure
     */
    static boolean announce(Connection open, SchemaChange change, long statement) throws SQLException {
        return withAllRows(open, () -> {
            DdlPropagation telling = new DdlPropagation(open, change, Set.of(statement), Place.of(open));
            for (int tries = 1; ; tries++) {
                try {
                    return telling.announce(statement);
                } catch (SQLException e) {
                    if (tries == TRIES || !CONFLICTS.contains(e.getErrorCode())) {
                        throw e;
                    }
                    open.rollback();
                }
            }
        });
    }

    /** Runs work whose queries return all their rows, even if the client has limited the rows of its session. */
    private static <T> T withAllRows(Connection open, RoundTrip.Work<T> work) throws SQLException {
        String limit = SessionChanges.of(open).limit(open);
        return RoundTrip.together(open, () -> {
            if (limit.equals(SessionChanges.NO_LIMIT)) {
                return work.run();
            }
            Queries.execute(open, LIMIT_ROWS + SessionChanges.NO_LIMIT);
            try {
                return work.run();
            } finally {
                limitRows(open, limit);
            }
        });
    }

    /**
     * Restores the client's limit of rows. A failure means that the connection is broken, which the next statement
     * reports.
     */
    private static void limitRows(Connection open, String limit) {
        try {
            Queries.execute(open, LIMIT_ROWS + limit);
        } catch (SQLException e) {
            LOG.debug("the limit of rows of a session could not be set again", e);
        }
    }

    /** The first round trip: registers the statement, and reads the tables and views of which satellites know. */
    private boolean announce(long statement) throws SQLException {
        Set<String> tables = concerned();
        Set<String> viewNames = viewsNamed();
        boolean untouched = leavesTablesAlone();
        // The new snapshot must include the transactions for which the next statement waits.
        RoundTrip trip = new RoundTrip().execute("COMMIT");
        RunningDdl.add(trip, union(tables, viewNames), statement, untouched);
        trip.execute("INSERT IGNORE INTO multimed.intent VALUES (CONNECTION_ID())");
        List<TableForm> forms = capture.forms(trip, untouched ? Set.of() : tables);
        List<Views.View> told = Views.told(trip, viewNames);
        trip.send(open);
        return announce(forms, told);
    }

    /** The second round trip: marks tables and views as away, unless the statement leaves their rows unchanged. */
    private boolean announce(List<TableForm> forms, List<Views.View> told) throws SQLException {
        boolean announced = !told.isEmpty();
        RoundTrip trip = new RoundTrip();
        for (TableForm form : forms) {
            if (IndexStatements.leavesRowsAlone(change, form)) {
                underWay.keepRows(trip, form.table());
            } else {
                Capture.takeAway(trip, form);
                announced = true;
            }
        }
        views.takeAway(trip, told);
        if (!announced) {
            trip.execute("COMMIT");
        }
        trip.send(open);
        return announced;
    }

    /**
     * Called before a change is recorded later than its statement: removes the tables that satellites still have
     * although their rows may have changed. Otherwise changes of these rows would be missing while the triggers are
     * created again.
     *
     * @return whether there is something to seal; if not, no transaction is open
     */
    static boolean announce(Connection open, @Nullable SchemaChange change, Set<Long> statements) throws SQLException {
        boolean announced = change != null
                && withAllRows(
                        open, () -> new DdlPropagation(open, change, statements, Place.of(open)).removeUncertain());
        if (!announced) {
            open.commit();
        }
        return announced;
    }

    private boolean removeUncertain() throws SQLException {
        boolean any = false;
        for (String table : concerned()) {
            TableState state = capture.state(table);
            Optional<TableForm> before = state.form();
            Optional<TableForm> current = before.isPresent() ? capture.current(state, problems) : Optional.empty();
            if (current.isPresent() && !keepsRows(state, before.get(), current.get())) {
                RoundTrip trip = new RoundTrip();
                Capture.takeAway(trip, before.get());
                trip.send(open);
                any = true;
            }
        }
        return any;
    }

    private static Set<String> union(Set<String> some, Set<String> others) {
        Set<String> all = new TreeSet<>(some);
        all.addAll(others);
        return all;
    }

    /** Returns whether the statement creates a table or fails. MariaDB lets CREATE OR REPLACE replace a table. */
    private boolean leavesTablesAlone() {
        return change.action() == Action.CREATE
                && change.object().equals("TABLE")
                && !change.sql().toUpperCase(Locale.ROOT).contains("REPLACE");
    }

    /**
     * Records a change after its statement: puts the new definitions, with all rows where needed, into the open
     * transaction. The caller seals this transaction and then calls {@link #told}.
     *
     * @param change null if the statement is known to affect no table
     * @param statements the numbers of the statements that made the change
     * @param seconds maximum wait for locks
     * @throws SQLException 0A000 if a new table cannot be replicated, so that it exists on the master only; 55006 if
     *     another session is recording the same table
     */
    static void tell(Connection open, @Nullable SchemaChange change, Set<Long> statements, int seconds)
            throws SQLException {
        if (change == null) {
            return;
        }
        SessionChanges changes = SessionChanges.of(open);
        Set<String> noted = new TreeSet<>(changes.noted());
        withAllRows(open, () -> {
            tell(open, change, statements, seconds, noted);
            return true;
        });
    }

    /**
     * Records the change under settings of Multimed's own, because triggers keep the {@code sql_mode} of their
     * creation and texts are compared under the session's collation. Afterwards the client's settings are restored.
     *
     * @param noted changes of the session before, which remain reported
     */
    private static void tell(Connection open, SchemaChange change, Set<Long> statements, int seconds, Set<String> noted)
            throws SQLException {
        RoundTrip begin = new RoundTrip();
        List<String> before = begin.texts(SETTINGS);
        List<Place> place = Place.ask(begin);
        List<String> own = new RunningDdl(open, statements).names(begin);
        begin.execute(
                "SET sql_mode = '%s', collation_connection = utf8mb4_bin, lock_wait_timeout = %d, innodb_lock_wait_timeout = %d"
                        .formatted(Connections.STEADY_MODE, seconds, seconds));
        setSnapshots(begin, open, "OFF");
        begin.send(open);
        try {
            new DdlPropagation(open, change, statements, place.get(0)).tell(own, seconds);
        } catch (SQLException | RuntimeException e) {
            DdlLock.release(open, e);
            throw e;
        } finally {
            RoundTrip end = new RoundTrip().execute("SET " + before.get(0));
            // Counts as a change of the session until told() is called.
            setSnapshots(end, open, "OFF");
            end.send(open);
            noted.add(SNAPSHOTS);
            SessionChanges.of(open).reset(noted);
        }
    }

    /**
     * Called after the recorded change was committed, or its commit failed. Until then the seal, too, must read the
     * current data. Releases the locks, and restores the setting for snapshots.
     */
    public static void told(Connection open) throws SQLException {
        DdlLock.release(open);
        if (!MySqlServer.isMariaDb(open)) {
            return;
        }
        SessionChanges changes = SessionChanges.of(open);
        Set<String> others = new TreeSet<>(changes.noted());
        others.remove(SNAPSHOTS);
        Queries.execute(open, "SET " + SNAPSHOTS + " = ON");
        changes.reset(others);
    }

    /**
     * Sets MariaDB's check of snapshots. The reads here take locks, and must see the current data regardless of the
     * transaction's snapshot. MySQL has no such setting.
     */
    private static void setSnapshots(RoundTrip trip, Connection open, String isolated) throws SQLException {
        if (MySqlServer.isMariaDb(open)) {
            trip.execute("SET " + SNAPSHOTS + " = " + isolated);
        }
    }

    /**
     * Takes the locks of all tables and views concerned, compares their state with the registered forms, and records
     * the differences. Tables that other statements are changing are left to these statements.
     *
     * @param own names for which the own statements have entries
     */
    private void tell(List<String> own, int seconds) throws SQLException {
        Set<String> tables = concerned();
        Set<String> viewNames = viewsNamed();
        Set<String> names = union(union(tables, viewNames), Set.copyOf(own));
        RoundTrip trip = new RoundTrip();
        List<List<Integer>> turns = DdlLock.take(trip, open, names, seconds);
        // The locks are held now: a new snapshot shows what their previous holders committed.
        trip.execute("COMMIT");
        List<String> others = underWay.others(trip, names);
        List<Integer> count = underWay.countOthers(trip);
        List<TableState> states = tables.stream()
                .map(table -> new TableState(trip, place.schema(), table))
                .toList();
        trip.send(open);
        DdlLock.check(turns);
        alone = count.equals(List.of(0));
        tables.removeAll(others);
        RecordedChanges news = news(states, tables, new TreeSet<>(viewNames));
        news.views().removeAll(others);
        for (int tries = 1; !tryTell(news, names, tries >= TRIES); tries++) {
            open.rollback();
        }
        report(news.now().isEmpty() && news.gone().isEmpty());
    }

    /** Determines the changes of all tables that no other statement is changing. */
    private RecordedChanges news(List<TableState> states, Set<String> tables, Set<String> viewNames)
            throws SQLException {
        RecordedChanges news =
                new RecordedChanges(new ArrayList<>(), new ArrayList<>(), new TreeSet<>(), tables, viewNames);
        for (TableState state : states) {
            if (tables.contains(state.table())) {
                try {
                    examine(state, news);
                } catch (SQLException e) {
                    leaveToOthers(news, Set.of(state.table()), e);
                }
            }
        }
        return news;
    }

    /**
     * Determines the change of one table. A table that is gone loses its triggers, a new one receives them, which
     * commits.
     */
    private void examine(TableState state, RecordedChanges news) throws SQLException {
        Optional<TableForm> before = state.form();
        Optional<TableForm> current = capture.current(state, problems);
        if (current.isEmpty()) {
            capture.dropTriggers(state);
            before.ifPresent(news.gone()::add);
        } else if (before.isEmpty()) {
            news.now().add(watched(state, current.get())); // so that all later changes are captured
        } else if (keepsRows(state, before.get(), current.get())) {
            news.same().add(state.table());
        } else {
            throw changedMeanwhile(state.table());
        }
    }

    /** Returns the error that makes the change pending: it is recorded later. */
    private static SQLException changedMeanwhile(String table) {
        return new SQLException("table %s was changed by another statement at the same time".formatted(table), "XX000");
    }

    /**
     * Ignores a failure if another statement has begun to change the tables: that statement then sends them.
     *
     * @throws SQLException the failure, if there is no such statement
     */
    private void leaveToOthers(RecordedChanges news, Set<String> names, SQLException failure) throws SQLException {
        try {
            open.rollback();
            Set<String> others = underWay.others(names);
            if (others.isEmpty()) {
                throw failure;
            }
            news.leave(others);
        } catch (SQLException e) {
            if (e != failure) {
                failure.addSuppressed(e);
            }
            throw failure;
        }
    }

    /**
     * Returns whether satellites have the rows: the table was not removed from them, and has the same rows and
     * triggers.
     */
    private boolean keepsRows(TableState state, TableForm before, TableForm current) throws SQLException {
        return capture.hasSameRows(state, before, current) && underWay.keepsRows(before.table());
    }

    /**
     * Creates the triggers of a table that satellites do not have. If the statement failed and the table is unchanged,
     * the present triggers remain, because creating them again would wait for all users of the table.
     */
    private TableForm watched(TableState state, TableForm now) throws SQLException {
        Optional<TableForm> away = state.formAway();
        return away.isPresent() && capture.isCaptured(state, away.get(), now)
                ? now.withId(away.get().id())
                : capture.replaceTriggers(state, now);
    }

    /** Returns the tables that the statement names; for a statement on the database, all tables. */
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

    /** Returns the names in the statement that lie in the replicated database. */
    private Set<String> named() throws SQLException {
        return change.names().stream()
                .filter(name -> place.schema().equalsIgnoreCase(name.schema().isEmpty() ? place.used() : name.schema()))
                .map(ObjectName::name)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /**
     * Returns the views that the statement may concern: RENAME TABLE, DROP TABLE and others accept names of views,
     * too.
     */
    private Set<String> viewsNamed() throws SQLException {
        return switch (change.object()) {
            case "VIEW", "TABLE" -> named();
            case "DATABASE" -> Views.told(open).stream().map(Views.View::name).collect(Collectors.toSet());
            default -> Set.of();
        };
    }

    /**
     * Records the changes in one transaction.
     *
     * @param names of all tables and views in the statement
     * @param last whether a conflict is a failure
     * @return whether they are recorded; if not, the transaction must be rolled back, and the call repeated
     */
    private boolean tryTell(RecordedChanges news, Set<String> names, boolean last) throws SQLException {
        try {
            List<String> others = tell(news, begin(news));
            if (!others.isEmpty()) {
                news.leave(Set.copyOf(others));
                return false;
            }
            RoundTrip trip = new RoundTrip();
            underWay.remove(trip, names);
            trip.execute("DELETE FROM multimed.intent WHERE connection = CONNECTION_ID()");
            trip.send(open);
            return true;
        } catch (SQLException e) {
            if (last || !CONFLICTS.contains(e.getErrorCode())) {
                leaveToOthers(news, union(news.tables(), news.views()), e);
            }
            return false;
        }
    }

    /**
     * The tables and views of the master, read under locks.
     *
     * @param told views that satellites have
     * @param views views that exist
     * @param captured tables that are under capture
     * @param kept identities of the tables in the storage engine
     */
    private record Found(
            List<Views.View> told, List<Views.View> views, List<TableForm> captured, List<TableIdentities.Kept> kept) {}

    /** Begins a transaction and puts the tables into it. Reads the rest under the locks that are then held. */
    private Found begin(RecordedChanges news) throws SQLException {
        // Under SERIALIZABLE, reading locks all rows, and all gaps into which other transactions could insert.
        RoundTrip tables = new RoundTrip().execute("COMMIT").execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
        news.gone().forEach(form -> Capture.takeAway(tables, form));
        if (!alone) {
            tables.send(open);
            for (TableForm form : news.now()) {
                capture.leaveReplaced(form);
            }
        }
        news.now().forEach(form -> capture.recordTable(tables, form));
        RoundTrip trip = news.same().isEmpty() ? tables : new RoundTrip();
        if (trip != tables) {
            tables.send(open);
            for (String table : news.same()) {
                change(table);
            }
        }
        Found found = new Found(
                Views.told(trip, news.views()),
                views.there(trip, news.views()),
                capture.forms(trip, news.tables()),
                new TableIdentities(open, place.schema()).kept(trip));
        trip.send(open);
        return found;
    }

    /**
     * Puts views, registrations and identities into the transaction. Returns the tables and views that other
     * statements change.
     */
    private List<String> tell(RecordedChanges news, Found found) throws SQLException {
        RoundTrip trip = new RoundTrip();
        views.takeAway(trip, found.told());
        views.create(trip, found.views(), news.views());
        Set<String> captured = found.captured().stream().map(TableForm::table).collect(Collectors.toSet());
        news.tables().stream().filter(table -> !captured.contains(table)).forEach(table -> capture.forget(trip, table));
        TableIdentities.note(trip, found.kept(), news.tables(), captured);
        List<String> others = underWay.others(trip, union(news.tables(), news.views()));
        trip.send(open);
        return others;
    }

    /**
     * Records in the open transaction that the table still has its rows, and that satellites change its indexes
     * themselves. The lock on {@code multimed.base} orders concurrent changes of a table: the later one also reads the
     * table later. A concurrent DROP propagates its own index changes.
     */
    private void change(String table) throws SQLException {
        Queries.number(open, "SELECT one FROM multimed.base FOR UPDATE");
        TableState state = capture.state(table);
        Optional<TableForm> before = state.form();
        Optional<TableForm> current = capture.current(state, problems);
        if (before.isEmpty() || current.isEmpty()) {
            return;
        }
        if (!TableIndexes.differAtMost(before.get(), current.get())) {
            throw changedMeanwhile(table);
        }
        if (!Arrays.equals(before.get().encode(), current.get().encode())) {
            capture.change(current.get().withId(before.get().id()));
        }
    }

    /**
     * Reports tables that cannot be replicated. If nothing else is to be sent, the client receives the error;
     * otherwise the message is logged, because the WriteSet must still be sealed.
     */
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

    /**
     * The databases in which the names of a statement are looked up.
     *
     * @param schema the database whose tables are replicated
     * @param used the database that the session uses; empty if it uses none
     */
    private record Place(String schema, String used) {
        static List<Place> ask(RoundTrip trip) {
            return trip.ask(
                    "SELECT database_name, COALESCE(DATABASE(), '') FROM multimed.base",
                    row -> new Place(row.getString(1), row.getString(2)));
        }

        static Place of(Connection open) throws SQLException {
            RoundTrip trip = new RoundTrip();
            List<Place> place = ask(trip);
            trip.send(open);
            return place.get(0);
        }
    }
}
