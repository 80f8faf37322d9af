// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.schema;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Transfers the settings of the master's server on which results depend. Clients' sessions begin with the server's
 * settings, so that satellites need the same ones. The master stores its settings in {@code multimed.setting} at each
 * start, and a satellite copies them when it is seeded. A satellite adopts a later change while it is in use.
 */
public final class AnswerSettings {
    private static final String MODE = "sql_mode";

    /**
     * Variables on which computed values depend; satellites receive them unchanged. Those of character sets decide
     * which collation literals have.
     */
    private static final List<String> OF_VALUES = List.of(
            "block_encryption_mode",
            "character_set_collations",
            "default_collation_for_utf8mb4",
            "default_regex_flags",
            "default_week_format",
            "div_precision_increment",
            "group_concat_max_len",
            "lc_time_names",
            "max_recursive_iterations",
            "max_sort_length",
            "old_mode",
            "windowing_use_high_precision");

    /** All variables that satellites receive unchanged, as far as the engine has them. */
    private static final List<String> NAMES = Stream.concat(
                    Stream.of(MODE, "sql_select_limit", "sql_auto_is_null", "lc_messages"), OF_VALUES.stream())
            .toList();

    /** Further variables with which sessions begin, and on which the effects of statements depend. */
    private static final List<String> OTHERS = List.of(
            "auto_increment_increment",
            "auto_increment_offset",
            "autocommit",
            "character_set_client",
            "character_set_connection",
            "character_set_database",
            "character_set_results",
            "character_set_server",
            "collation_connection",
            "collation_database",
            "collation_server",
            "cte_max_recursion_depth",
            "default_storage_engine",
            "explicit_defaults_for_timestamp",
            "foreign_key_checks",
            "init_connect",
            "innodb_lock_wait_timeout",
            "innodb_strict_mode",
            "lock_wait_timeout",
            "low_priority_updates",
            "max_error_count",
            "max_execution_time",
            "max_join_size",
            "max_sp_recursion_depth",
            "max_statement_time",
            "optimizer_switch",
            "sql_big_selects",
            "sql_notes",
            "sql_safe_updates",
            "sql_warnings",
            "system_versioning_asof",
            "transaction_isolation",
            "transaction_read_only",
            "tx_isolation",
            "tx_read_only",
            "unique_checks",
            "updatable_views_with_limit",
            "wait_timeout");

    private static final String OF_SESSIONS = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('%s')";

    /** Keys of the server's time zone: its name, and properties by which zones of two servers can be compared. */
    private static final String ZONE = "time_zone";

    private static final String CLOCK = "clock";
    private static final String OFFSET = "offset";

    /** Key of the fingerprint of {@link ZoneTables}. */
    private static final String ZONE_TABLES = "zone tables";

    private AnswerSettings() {}

    /**
     * Stores the master's settings in the open transaction.
     *
     * @return whether they are as they were stored the last time; if not, all satellites must be seeded again
     */
    public static boolean note(Connection master) throws SQLException {
        boolean known = true;
        for (Map.Entry<String, String> now : present(master).entrySet()) {
            if (!noted(master, now.getKey()).equals(List.of(now.getValue()))) {
                put(master, now.getKey(), now.getValue());
                known = false;
            }
        }
        return known;
    }

    private static Map<String, String> present(Connection master) throws SQLException {
        Map<String, String> present = new LinkedHashMap<>(values(master));
        present.put(ZONE_TABLES, ZoneTables.print(master));
        return present;
    }

    /** Returns the server's settings that satellites receive. */
    public static Map<String, String> values(Connection master) throws SQLException {
        Map<String, String> present = globals(master, NAMES);
        present.putAll(globals(master, List.of(ZONE)));
        present.put(CLOCK, ServerZone.clock(master));
        present.put(OFFSET, ServerZone.offset(master));
        return present;
    }

    /** Returns a text that changes with the settings with which sessions begin. Costs one short query. */
    public static String state(Connection master) throws SQLException {
        List<String> names = new ArrayList<>(NAMES);
        names.add(ZONE);
        names.addAll(OTHERS);
        return globals(master, names).toString();
    }

    /** Returns the global values of those variables that the engine has, by name. */
    private static Map<String, String> globals(Connection connection, List<String> names) throws SQLException {
        Map<String, String> found = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(OF_SESSIONS.formatted(String.join("','", names)))) {
            while (rows.next()) {
                found.put(rows.getString(1).toLowerCase(Locale.ROOT), rows.getString(2));
            }
        }
        return found;
    }

    private static List<String> noted(Connection connection, String name) throws SQLException {
        return Queries.texts(connection, "SELECT value FROM multimed.setting WHERE name = ?", name);
    }

    /**
     * Copies the stored settings, as the master's snapshot sees them, into the satellite's table, in its open
     * transaction.
     */
    public static void copy(Connection master, Connection satellite) throws SQLException {
        List<String> names = new ArrayList<>(NAMES);
        names.addAll(List.of(ZONE, CLOCK, OFFSET));
        for (String name : names) {
            for (String value : noted(master, name)) {
                put(satellite, name, value);
            }
        }
    }

    /** Replaces the copied settings by those that the master has now, and commits. */
    public static void replace(Connection satellite, Map<String, String> values) throws SQLException {
        for (Map.Entry<String, String> value : values.entrySet()) {
            put(satellite, value.getKey(), value.getValue());
        }
        satellite.commit();
    }

    /**
     * Sets the satellite's server to the copied settings, for sessions that begin later.
     *
     * @throws SQLException 0A000 if the satellite's server cannot be set to the master's time zone
     */
    public static void apply(Connection satellite) throws SQLException {
        set(satellite, "GLOBAL", NAMES);
        ServerZone.set(satellite, one(satellite, ZONE), one(satellite, CLOCK), one(satellite, OFFSET));
    }

    /** Gives the satellite's open session the copied settings on which computed values depend. */
    public static void adopt(Connection satellite) throws SQLException {
        set(satellite, "SESSION", OF_VALUES);
    }

    /** Sets variables to their copied values, as far as both engines have the variables. */
    private static void set(Connection satellite, String scope, List<String> names) throws SQLException {
        for (String name : globals(satellite, names).keySet()) {
            for (String value : noted(satellite, name)) {
                Queries.execute(satellite, "SET %s %s = %s".formatted(scope, name, inSql(value)));
            }
        }
    }

    private static String one(Connection satellite, String name) throws SQLException {
        return noted(satellite, name).get(0);
    }

    /** Returns numbers as they are, because numeric variables accept no strings. */
    private static String inSql(String value) {
        return value.matches("[0-9]+") ? value : Names.literal(value);
    }

    private static void put(Connection connection, String name, String value) throws SQLException {
        try (PreparedStatement replace = connection.prepareStatement("REPLACE INTO multimed.setting VALUES (?, ?)")) {
            replace.setString(1, name);
            replace.setString(2, value);
            replace.executeUpdate();
        }
    }
}
