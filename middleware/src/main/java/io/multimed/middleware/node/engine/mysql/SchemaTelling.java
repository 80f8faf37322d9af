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
 * <p>If several clients change a table at the same time, the table returns to the satellites with the last of their
 * statements ({@link StatementsUnderWay}): before, it would be there while another statement runs.
 *
 * <p>A change that cannot be sent immediately after the statement is sent later, by another connection. If the
 * middleware ends before, the entry in {@code multimed.intent} makes the next start copy all satellites again.
 */
final class SchemaTelling {
    private static final String SNAPSHOTS = "innodb_snapshot_isolation";

    private static final Logger LOG = LoggerFactory.getLogger(SchemaTelling.class);
    /** A deadlock; a row that another transaction has changed since this one began. */
    private static final Set<Integer> CONFLICTS = Set.of(1213, 1020);

    private static final int TRIES = 10;

    /** Reads the settings as a SET list. */
    private static final String SETTINGS =
            "SELECT CONCAT('sql_mode = ', QUOTE(@@sql_mode), ', collation_connection = ', @@collation_connection, ', lock_wait_timeout = ', @@lock_wait_timeout, ', innodb_lock_wait_timeout = ', @@innodb_lock_wait_timeout)";

    private final Connection open;
    private final SchemaChange change;
    private final Capture capture;
    private final String schema;
    private final Views views;
    private final StatementsUnderWay underWay;
    private final List<String> problems = new ArrayList<>();

    /** Whether no other statement was changing any table when the telling began. */
    private boolean alone;

    /** @param statements the numbers of those that make the change */
    private SchemaTelling(Connection open, SchemaChange change, Set<Long> statements) throws SQLException {
        this.open = open;
        this.change = change;
        this.underWay = new StatementsUnderWay(open, statements);
        this.capture = new Capture(open);
        this.schema = capture.schema();
        this.views = new Views(open, schema);
    }

    /**
     * Before the statement.
     *
     * @return whether there is something to seal; if not, the intent is committed
     */
    static boolean announce(Connection open, SchemaChange change, long statement) throws SQLException {
        SchemaTelling telling = new SchemaTelling(open, change, Set.of(statement));
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
    }

    private boolean announce(long statement) throws SQLException {
        Set<String> tables = concerned();
        Set<String> viewNames = viewsNamed();
        open.commit(); // the snapshot must include the changes for which the next statement waits
        underWay.add(union(tables, viewNames), statement, leavesTablesAlone());
        Queries.run(open, "INSERT IGNORE INTO multimed.intent VALUES (CONNECTION_ID())");
        boolean announced = false;
        for (String table : leavesTablesAlone() ? Set.<String>of() : tables) {
            Optional<TableForm> form = capture.form(table);
            if (form.isPresent() && IndexStatements.leavesRowsAlone(change, form.get())) {
                underWay.keepRows(table);
            } else if (form.isPresent()) {
                capture.takeAway(form.get());
                announced = true;
            }
        }
        announced |= views.takeAway(viewNames);
        if (!announced) {
            open.commit();
        }
        return announced;
    }

    /**
     * Before a change is sent later: removes the tables from the satellites that they have, and whose rows they may not
     * have. Otherwise changes of these rows would be missing while the triggers are installed again.
     *
     * @return whether there is something to seal; if not, no transaction is open
     */
    static boolean announce(Connection open, @Nullable SchemaChange change, Set<Long> statements) throws SQLException {
        boolean announced = change != null && new SchemaTelling(open, change, statements).removeUncertain();
        if (!announced) {
            open.commit();
        }
        return announced;
    }

    private boolean removeUncertain() throws SQLException {
        boolean any = false;
        for (String table : concerned()) {
            Optional<TableForm> before = capture.form(table);
            Optional<TableForm> current = before.isPresent() ? capture.current(table, problems) : Optional.empty();
            if (current.isPresent() && !keepsRows(before.get(), current.get())) {
                capture.takeAway(before.get());
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
     * @param statements the numbers of those that made it
     * @param seconds maximum wait for locks
     * @throws SQLException 0A000 if a new table cannot be replicated: it exists on the master only
     */
    static void tell(Connection open, @Nullable SchemaChange change, Set<Long> statements, int seconds)
            throws SQLException {
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
            new SchemaTelling(open, change, statements).tell(seconds);
        } catch (SQLException | RuntimeException e) {
            SchemaTurns.release(open, e);
            throw e;
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
        SchemaTurns.release(open);
        if (!MySqlEngine.isMariaDb(open)) {
            return;
        }
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

    private void tell(int seconds) throws SQLException {
        Set<String> tables = concerned();
        Set<String> viewNames = viewsNamed();
        Set<String> names = union(union(tables, viewNames), underWay.names());
        SchemaTurns.take(open, names, seconds);
        open.commit(); // another snapshot
        Set<String> others = underWay.others(names);
        alone = underWay.areAlone();
        tables.removeAll(others);
        SchemaNews news = news(tables, new TreeSet<>(viewNames));
        news.views().removeAll(others);
        for (int tries = 1; !tryTell(news, names, tries >= TRIES); tries++) {
            open.rollback();
        }
        report(news.now().isEmpty() && news.gone().isEmpty());
    }

    private SchemaNews news(Set<String> tables, Set<String> viewNames) throws SQLException {
        SchemaNews news = new SchemaNews(new ArrayList<>(), new ArrayList<>(), new TreeSet<>(), tables, viewNames);
        for (String table : List.copyOf(tables)) {
            try {
                look(table, news);
            } catch (SQLException e) {
                leaveToOthers(news, Set.of(table), e);
            }
        }
        return news;
    }

    private void look(String table, SchemaNews news) throws SQLException {
        Optional<TableForm> before = capture.form(table);
        Optional<TableForm> current = capture.current(table, problems);
        if (current.isEmpty()) {
            capture.unwatch(table);
            before.ifPresent(news.gone()::add);
        } else if (before.isEmpty()) {
            news.now().add(watched(current.get())); // so that all later changes are captured
        } else if (keepsRows(before.get(), current.get())) {
            news.same().add(table);
        } else {
            throw changedMeanwhile(table);
        }
    }

    private static SQLException changedMeanwhile(String table) {
        return new SQLException("table %s was changed by another statement at the same time".formatted(table), "XX000");
    }

    /**
     * A failure does not matter if another statement has begun to change the table: that one sends the table.
     *
     * @throws SQLException the failure, if there is no such statement
     */
    private void leaveToOthers(SchemaNews news, Set<String> names, SQLException failure) throws SQLException {
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

    /** Whether satellites have the rows: the table, which was not removed from them, has the same form and triggers. */
    private boolean keepsRows(TableForm before, TableForm current) throws SQLException {
        return capture.hasSameRows(before, current) && underWay.keepsRows(before.table());
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

    /** @param names of all tables and views in the statement */
    private boolean tryTell(SchemaNews news, Set<String> names, boolean last) throws SQLException {
        try {
            open.commit();
            // Reading under this level locks all rows and all places where others could come.
            Queries.run(open, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
            tell(news);
            Set<String> others = underWay.others(union(news.tables(), news.views()));
            if (!others.isEmpty()) {
                news.leave(others);
                return false;
            }
            underWay.remove(names);
            Queries.run(open, "DELETE FROM multimed.intent WHERE connection = CONNECTION_ID()");
            return true;
        } catch (SQLException e) {
            if (last || !CONFLICTS.contains(e.getErrorCode())) {
                leaveToOthers(news, union(news.tables(), news.views()), e);
            }
            return false;
        }
    }

    private void tell(SchemaNews news) throws SQLException {
        for (TableForm form : news.gone()) {
            capture.takeAway(form);
        }
        for (TableForm form : news.now()) {
            capture.bring(form, alone);
        }
        for (String table : news.same()) {
            change(table);
        }
        views.takeAway(news.views());
        views.bring(news.views());
        capture.forgetAway(news.tables());
        new TableIdentities(open, schema).note(news.tables(), capture.forms());
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
            throw changedMeanwhile(table);
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
