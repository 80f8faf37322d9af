// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import io.multimed.engine.dialect.SessionState;
import io.multimed.engine.dialect.SessionWatch;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Compares the state of an engine's session with its initial state: compares the settings with a copy taken before,
 * and asks the engine for variables, temporary tables, prepared statements and locks. State that the engine cannot
 * list counts as held, so that no other client receives the session.
 */
public final class MySqlSessions implements SessionWatch {
    /** Prefix, among the settings that a statement may leave behind, of a condition that the session holds a lock. */
    public static final String LOCK = "lock ";

    /** Entry among the settings for a statement that may have taken a lock whose name is not known. */
    public static final String ANY_LOCK = "locks";

    /** Entry among the settings for a statement that has released all locks. */
    public static final String NO_LOCKS = "no locks";

    /** Entry among the settings for prepared statements, for engines that do not list them. */
    public static final String PREPARED = "prepared statements";

    /**
     * Entry among the settings for temporary tables of other storage engines than InnoDB: MySQL does not list them.
     */
    public static final String UNLISTED_TABLES = "temporary tables";

    /** Settings that change by themselves, or that the driver sets for each transaction. They are not compared. */
    private static final Set<String> RESTLESS = Set.of(
            "autocommit",
            "completion_type",
            "error_count",
            "gtid_binlog_pos",
            "gtid_binlog_state",
            "gtid_current_pos",
            "gtid_executed",
            "gtid_owned",
            "gtid_purged",
            "gtid_slave_pos",
            "identity",
            "in_transaction",
            "innodb_buffer_pool_load_incomplete",
            "insert_id",
            "last_gtid",
            "last_insert_id",
            "pseudo_thread_id",
            "rand_seed1",
            "rand_seed2",
            "statement_id",
            "timestamp",
            "warning_count");

    /** Settings that the driver sets for each transaction: they are compared with what the driver has set last. */
    private static final Set<String> MODES =
            Set.of("transaction_isolation", "transaction_read_only", "tx_isolation", "tx_read_only");

    /**
     * Those of them that a client can change with a lasting effect. {@link SessionChanges} continues to report their
     * changes.
     */
    private static final Set<String> UNCOMPARED =
            Set.of("completion_type", "insert_id", "pseudo_thread_id", "rand_seed1", "rand_seed2", "timestamp");

    /**
     * MariaDB lists no prepared statements, and locks only if performance_schema is on: {@link #inspect} treats both
     * apart.
     */
    private static final String MARIADB_LISTS = """
            SELECT 'user variables' WHERE EXISTS (SELECT 1 FROM information_schema.USER_VARIABLES WHERE VARIABLE_VALUE IS NOT NULL)
            UNION ALL SELECT 'temporary tables' WHERE EXISTS (SELECT 1 FROM information_schema.TABLES WHERE TABLE_TYPE LIKE 'TEMPORARY%')""";

    private static final String MARIADB_LISTS_OF_SCHEMA = MARIADB_LISTS + """
             UNION ALL SELECT 'locks' WHERE EXISTS (SELECT 1 FROM performance_schema.metadata_locks l JOIN performance_schema.threads t ON t.THREAD_ID = l.OWNER_THREAD_ID
                WHERE t.PROCESSLIST_ID = CONNECTION_ID() AND l.OBJECT_TYPE = 'USER LEVEL LOCK')""";

    /** MySQL lists session state in performance_schema, which may be off. */
    private static final String MYSQL_LISTS = """
            SELECT 'user variables' FROM DUAL WHERE EXISTS (SELECT 1 FROM performance_schema.user_variables_by_thread
                WHERE THREAD_ID = PS_CURRENT_THREAD_ID() AND VARIABLE_VALUE IS NOT NULL)
            UNION ALL SELECT 'temporary tables' FROM DUAL WHERE EXISTS (SELECT 1 FROM information_schema.INNODB_SESSION_TEMP_TABLESPACES s
                JOIN information_schema.INNODB_TEMP_TABLE_INFO t ON t.SPACE = s.SPACE WHERE s.ID = CONNECTION_ID() AND s.PURPOSE = 'USER')
            UNION ALL SELECT 'prepared statements' FROM DUAL WHERE EXISTS (SELECT 1 FROM performance_schema.prepared_statements_instances
                WHERE OWNER_THREAD_ID = PS_CURRENT_THREAD_ID() AND STATEMENT_NAME IS NOT NULL)
            UNION ALL SELECT 'locks' FROM DUAL WHERE EXISTS (SELECT 1 FROM performance_schema.metadata_locks
                WHERE OWNER_THREAD_ID = PS_CURRENT_THREAD_ID() AND OBJECT_TYPE = 'USER LEVEL LOCK')""";

    /** The same for accounts of roles, which may not read these tables. */
    private static final String MYSQL_LISTS_OF_ROLE = "CALL multimed.session_state()";

    private static final String USER_VARIABLES = "user variables";

    /** Prefix of the variables in which Connector/J transfers OUT parameters. */
    private static final String PARAMETER = "com_mysql_jdbc_outparam_";

    /** Number of entries among the settings that are no variables: the database, the role and the user. */
    private static final int OTHERS = 3;

    private final boolean mariaDb;
    private final HeldLocks locks;
    private final Map<String, String> before;

    /** The modes of transactions at the begin. */
    private final Map<String, String> modesBefore;

    /** Whether code of users has changed modes of transactions; only the end of the connection undoes that. */
    private boolean changesModes;

    /**
     * Withdraws the trust in the driver's record of the session until {@link #inspect} has found the session
     * unchanged.
     *
     * @param clean a connection whose session contains no state of any client
     */
    public MySqlSessions(Connection clean) throws SQLException {
        this.mariaDb = MySqlServer.isMariaDb(clean);
        this.locks = new HeldLocks(this::listed);
        this.before = settings(clean);
        this.modesBefore = takeModes(before);
        Connections.trustDriver(clean, false);
    }

    /**
     * Commits before it returns, so that no transaction is open afterwards. If the session is unchanged, the
     * connection may return to its pool: all named locks are released, and the driver's record is reliable again.
     */
    @Override
    public SessionState inspect(Connection connection, Set<String> settings) throws SQLException {
        List<String> held = new ArrayList<>();
        SessionChanges changes = SessionChanges.of(connection);
        Map<String, String> after = settings(connection);
        Map<String, String> modes = takeModes(after);
        modes.entrySet().removeAll(modesBefore.entrySet());
        changesModes |= changes.changesModes(connection, modes);
        boolean readOnly = changes.isReadOnlyBeyondDriver(connection, modes);
        if (before.isEmpty()
                || changesModes
                || !Collections.disjoint(changes.noted(), UNCOMPARED)
                || !before.equals(after)) {
            held.add("settings");
        }
        if (mariaDb || "ON".equals(before.get("performance_schema"))) {
            held.addAll(listed(connection));
        } else {
            held.add("perhaps anything: performance_schema is off");
        }
        if (!mariaDb && settings.contains(UNLISTED_TABLES) && !held.contains(UNLISTED_TABLES)) {
            held.add(UNLISTED_TABLES); // until the connection ends
        }
        if (settings.contains(PREPARED) && !held.contains(PREPARED) && !listsPrepared(connection)) {
            held.add(PREPARED);
        }
        if (!held.contains(HeldLocks.NAME) && locks.mayBeHeld(connection, settings)) {
            held.add(HeldLocks.NAME);
        }
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
        if (held.isEmpty()) {
            Queries.execute(connection, "DO RELEASE_ALL_LOCKS()"); // the last one for which no statement is known
            // The driver is not trusted yet, and therefore sends SET autocommit, which a client may have changed by
            // SQL.
            connection.setAutoCommit(connection.getAutoCommit());
            Connections.trustDriver(connection, true);
            changes.retain(UNCOMPARED);
        }
        return new SessionState(held, "", readOnly);
    }

    /**
     * Returns whether the engine lists prepared statements. MySQL lists a statement only if certain instruments were
     * enabled when the statement was prepared, so that a sample is prepared and looked up. MariaDB lists none.
     */
    private boolean listsPrepared(Connection connection) throws SQLException {
        if (mariaDb) {
            return false;
        }
        Queries.execute(connection, "PREPARE multimed_sample FROM 'DO 0'");
        try {
            return listed(connection).contains(PREPARED);
        } finally {
            Queries.execute(connection, "DEALLOCATE PREPARE multimed_sample");
        }
    }

    /** Removes the modes of transactions from the settings, and returns them. */
    private static Map<String, String> takeModes(Map<String, String> settings) {
        Map<String, String> modes = new TreeMap<>(settings);
        modes.keySet().retainAll(MODES);
        settings.keySet().removeAll(MODES);
        return modes;
    }

    private String lists(Connection connection) throws SQLException {
        boolean role = isOfRole(connection);
        if (!mariaDb) {
            return role ? MYSQL_LISTS_OF_ROLE : MYSQL_LISTS;
        }
        return role || !"ON".equals(before.get("performance_schema")) ? MARIADB_LISTS : MARIADB_LISTS_OF_SCHEMA;
    }

    private List<String> listed(Connection connection) throws SQLException {
        String lists = lists(connection);
        List<String> listed = texts(connection, lists);
        return listed.contains(USER_VARIABLES) && forgotParameters(connection) ? texts(connection, lists) : listed;
    }

    /**
     * Sets the variables to NULL in which Connector/J has transferred OUT and INOUT parameters: the driver leaves them
     * in the session, and no client reads them.
     *
     * @return whether there were any
     */
    private boolean forgotParameters(Connection connection) throws SQLException {
        List<String> parameters = texts(connection, parameters(connection));
        if (parameters.isEmpty()) {
            return false;
        }
        Queries.execute(
                connection,
                parameters.stream()
                        .map(name -> "@%s = NULL".formatted(Names.identifier(name)))
                        .collect(Collectors.joining(", ", "SET ", "")));
        return true;
    }

    private String parameters(Connection connection) throws SQLException {
        if (!mariaDb && isOfRole(connection)) {
            return "CALL multimed.session_parameters()";
        }
        String variables = mariaDb
                ? "information_schema.USER_VARIABLES WHERE"
                : "performance_schema.user_variables_by_thread WHERE THREAD_ID = PS_CURRENT_THREAD_ID() AND";
        return "SELECT VARIABLE_NAME FROM %s LEFT(VARIABLE_NAME, %d) = '%s' AND VARIABLE_VALUE IS NOT NULL"
                .formatted(variables, PARAMETER.length(), PARAMETER);
    }

    private static boolean isOfRole(Connection connection) throws SQLException {
        return RoleSession.of(connection) != null;
    }

    /**
     * Returns the session's settings, its current database, its role and its user, by name; empty if the engine does
     * not list settings.
     */
    private Map<String, String> settings(Connection connection) throws SQLException {
        String table = mariaDb ? "information_schema.SESSION_VARIABLES" : "performance_schema.session_variables";
        Map<String, String> found = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT LOWER(VARIABLE_NAME), VARIABLE_VALUE FROM " + table
                                + " UNION ALL SELECT 'database()', DATABASE() UNION ALL SELECT 'role()', CURRENT_ROLE() UNION ALL SELECT 'user()', CURRENT_USER()")) {
            while (rows.next()) {
                found.put(rows.getString(1), String.valueOf(rows.getString(2)));
            }
        }
        found.keySet().removeAll(RESTLESS);
        return found.size() > OTHERS ? found : new TreeMap<>();
    }

    /** Runs a query of constants on the connection as it is, and returns the first column. */
    private static List<String> texts(Connection connection, String sql) throws SQLException {
        List<String> found = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }
}
