// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import com.mysql.cj.jdbc.JdbcConnection;
import com.mysql.cj.protocol.ServerSessionStateController;
import com.mysql.cj.protocol.ServerSessionStateController.ServerSessionStateChanges;
import com.mysql.cj.protocol.ServerSessionStateController.SessionStateChange;
import com.mysql.cj.protocol.ServerSessionStateController.SessionStateChangesListener;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Records the changes to a session that the engine reports with the answer to each statement, regardless of their
 * origin (a trigger, a function, a batch). As long as nothing changes, the report costs nothing. The engines do not
 * report named locks. Thread-safe.
 */
public final class SessionChanges implements SessionStateChangesListener {
    /** Session settings that make the engine report all changes; clients cannot name them. */
    public static final String TELL_ALL =
            "session_track_state_change=ON,session_track_system_variables='*',session_track_schema=ON";

    /** Settings and variables that the driver and Multimed's own procedures change or read for each transaction. */
    private static final Set<String> OURS = Set.of("autocommit", "identity", "last_insert_id");

    /** Names of the access mode of transactions. The driver sets it, but code of users may, too. */
    private static final Set<String> READ_ONLY = Set.of("transaction_read_only", "tx_read_only");

    /** Names of the isolation level of transactions, as above. */
    private static final Set<String> ISOLATION = Set.of("transaction_isolation", "tx_isolation");

    private static final Map<Integer, String> LEVELS = Map.of(
            Connection.TRANSACTION_READ_UNCOMMITTED, "READ-UNCOMMITTED",
            Connection.TRANSACTION_READ_COMMITTED, "READ-COMMITTED",
            Connection.TRANSACTION_REPEATABLE_READ, "REPEATABLE-READ",
            Connection.TRANSACTION_SERIALIZABLE, "SERIALIZABLE");

    /** The driver sets this variable before a statement and resets it before the next one. */
    private static final String LIMIT = "sql_select_limit";

    /** The value of the setting that limits the rows of queries, if it does not limit them. */
    public static final String NO_LIMIT = "18446744073709551615";

    /** Some engines report this variable with each statement. */
    private static final String COUNTER = "statement_id";

    /** Stands for changes whose variable the engine does not name, such as user variables and temporary tables. */
    private static final String ANYTHING = "";

    /** The listeners of open connections; held for a few instructions. */
    private static final Map<JdbcConnection, SessionChanges> ALL = Collections.synchronizedMap(new WeakHashMap<>());

    /** Names of variables, or {@link #ANYTHING}. Guarded by its own monitor. */
    private final Set<String> changed = new TreeSet<>();

    /** The last reported limit of rows. */
    private volatile String limit = NO_LIMIT;

    /**
     * The last reported current schema; empty if none was reported. A procedure of another schema changes and restores
     * it.
     */
    private volatile String schema = "";

    /** The last reported modes of transactions, by the names of their settings; the value is missing if unreported. */
    private final Map<String, String> modes = new ConcurrentHashMap<>();

    /** The initial schema of the connection; empty if it is not known. */
    private final String home;

    private SessionChanges(String home) {
        this.home = home;
    }

    /** Returns the changes of a connection, recorded since the first call. */
    public static SessionChanges of(Connection connection) throws SQLException {
        JdbcConnection engines = connection.unwrap(JdbcConnection.class);
        return ALL.computeIfAbsent(engines, SessionChanges::listen);
    }

    private static SessionChanges listen(JdbcConnection connection) {
        SessionChanges changes = new SessionChanges(home(connection));
        ServerSessionStateController controller = connection.getServerSessionStateController();
        controller.addSessionStateChangesListener(changes); // which holds it by a weak reference
        return changes;
    }

    private static String home(JdbcConnection connection) {
        try {
            return String.valueOf(connection.getCatalog());
        } catch (SQLException e) {
            return "";
        }
    }

    /**
     * Called by the driver for each answer that contains a report. A general report of a state change accompanies a
     * named variable or schema, too; only without a name does it count by itself.
     */
    @Override
    public void handleSessionStateChanges(ServerSessionStateChanges told) {
        List<SessionStateChange> changes = told.getSessionStateChangesList();
        boolean named = false;
        boolean unnamed = false;
        for (SessionStateChange change : changes) {
            switch (change.getType()) {
                case ServerSessionStateController.SESSION_TRACK_SYSTEM_VARIABLES -> named |= note(change.getValues());
                case ServerSessionStateController.SESSION_TRACK_SCHEMA -> {
                    named = true;
                    schema = change.getValues().get(0);
                }
                case ServerSessionStateController.SESSION_TRACK_STATE_CHANGE -> unnamed = true;
                default -> {} // transaction states, which are reported anyway
            }
        }
        if (unnamed && !named) {
            note(ANYTHING);
        }
    }

    /**
     * Records a changed variable, unless it is Multimed's or the driver's own.
     *
     * @return whether the variable explains a general report of a state change in the same answer
     */
    private boolean note(List<String> nameAndValue) {
        String name = nameAndValue.get(0).toLowerCase(Locale.ROOT);
        if (name.equals(LIMIT)) {
            limit = nameAndValue.get(1);
        } else if (READ_ONLY.contains(name) || ISOLATION.contains(name)) {
            modes.put(name, nameAndValue.get(1));
        } else if (!OURS.contains(name) && !name.equals(COUNTER)) {
            note(name);
        }
        return !name.equals(COUNTER);
    }

    private void note(String name) {
        synchronized (changed) {
            changed.add(name);
        }
    }

    /** Returns whether the session may differ from its state at {@link #begin}. Sends no request. */
    public boolean any(Connection connection) throws SQLException {
        JdbcConnection driver = connection.unwrap(JdbcConnection.class);
        int believed = driver.getSessionMaxRows();
        if (!schema.isEmpty() && !schema.equalsIgnoreCase(home)) {
            return true;
        }
        if (!limit.equals(believed <= 0 ? NO_LIMIT : String.valueOf(believed))) {
            return true;
        }
        if (changesModes(connection, modes)) {
            return true;
        }
        synchronized (changed) {
            return !changed.isEmpty();
        }
    }

    /**
     * Returns whether the session has other modes of transactions than the driver has set. Sends no request.
     *
     * @param present settings of the session by name; those that are missing count as set by the driver
     */
    boolean changesModes(Connection connection, Map<String, String> present) throws SQLException {
        JdbcConnection driver = connection.unwrap(JdbcConnection.class);
        boolean readOnly = driver.isReadOnly(false);
        for (Map.Entry<String, String> mode : present.entrySet()) {
            String value = mode.getValue();
            if ((READ_ONLY.contains(mode.getKey()) && isOn(value) != readOnly)
                    || (ISOLATION.contains(mode.getKey()) && !value.equalsIgnoreCase(level(driver)))) {
                return true;
            }
        }
        return false;
    }

    private static String level(JdbcConnection driver) throws SQLException {
        return LEVELS.getOrDefault(Connections.believedIsolation(driver), "");
    }

    /** Returns whether these settings make all transactions read-only, and the driver has not set that. */
    boolean isReadOnlyBeyondDriver(Connection connection, Map<String, String> present) throws SQLException {
        return !connection.unwrap(JdbcConnection.class).isReadOnly(false)
                && READ_ONLY.stream().anyMatch(name -> isOn(present.getOrDefault(name, "")));
    }

    private static boolean isOn(String value) {
        return value.equals("1") || value.equalsIgnoreCase("ON");
    }

    /**
     * Returns the number of rows to which the session limits each query, as the engine writes it. A limit of the driver
     * is the default: the driver resets its limit before the next statement, and does not notice when it is set again.
     */
    public String limit(Connection connection) throws SQLException {
        return connection.unwrap(JdbcConnection.class).getSessionMaxRows() > 0 ? "DEFAULT" : limit;
    }

    /** Returns the changes so far, for {@link #reset}. */
    public Set<String> noted() {
        synchronized (changed) {
            return Set.copyOf(changed);
        }
    }

    /** Records that these changes have been undone. */
    public void reset(Set<String> noted) {
        synchronized (changed) {
            changed.retainAll(noted);
        }
    }

    /** Forgets all changes: the present state is the initial one. */
    public void begin() {
        synchronized (changed) {
            changed.clear();
        }
    }

    /** Records that the session is in its initial state, except for some variables. */
    void retain(Set<String> variables) {
        synchronized (changed) {
            changed.retainAll(variables);
        }
    }
}
