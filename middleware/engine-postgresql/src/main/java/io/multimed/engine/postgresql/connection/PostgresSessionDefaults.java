// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import io.multimed.engine.SessionDefaults;
import io.multimed.engine.pool.NodeAccess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies settings on which answers depend, and that the driver does not set, from the master to the readers' role of a
 * satellite: readers' sessions begin with the settings of the master's server, database and user. Settings of a locale
 * that the satellite's machine lacks are omitted, with a warning in the log.
 */
public final class PostgresSessionDefaults {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresSessionDefaults.class);

    /**
     * Replaces "$user" in the search_path by the master's user, because readers on satellites have another name.
     * pg_settings contains the settings of an extension only in sessions that have loaded its library.
     */
    private static final String VALUES = """
            SELECT name, CASE name WHEN 'search_path' THEN replace(current_setting(name), '"$user"', quote_ident(current_user)) ELSE current_setting(name) END
            FROM pg_settings WHERE name IN ('search_path', 'IntervalStyle', 'bytea_output', 'lc_messages', 'lc_monetary', 'lc_numeric', 'lc_time',
            'default_text_search_config', 'xmlbinary', 'xmloption', 'array_nulls', 'transform_null_equals', 'backslash_quote', 'standard_conforming_strings',
            'timezone_abbreviations', 'quote_all_identifiers', 'escape_string_warning', 'client_min_messages', 'gin_fuzzy_search_limit', 'statement_timeout',
            'restrict_nonsystem_relation_kind')
            UNION ALL SELECT name, current_setting(name, true) FROM unnest(ARRAY['pg_trgm.similarity_threshold', 'pg_trgm.word_similarity_threshold',
                'pg_trgm.strict_word_similarity_threshold']) extension (name) WHERE current_setting(name, true) <> ''""";

    /**
     * Two sums over the settings that are stored for the database or for roles: those that apply to the present user,
     * and the others. They change with each of these settings.
     */
    private static final String STORED = """
            SELECT concat(sum(h) FILTER (WHERE mine)), concat(sum(h) FILTER (WHERE NOT mine)) FROM (
                SELECT hashtextextended(s::text, 0) AS h, s.setrole IN (0, (SELECT r.oid FROM pg_roles r WHERE r.rolname = current_user)) AS mine
                FROM pg_db_role_setting s WHERE s.setdatabase IN (0, (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))) stored""";

    /** Changes also when the session that asks has read the server's configuration files again. */
    private static final String STATE = "SELECT concat(stored, pg_conf_load_time()) FROM (%s) stored".formatted(STORED);

    /** Begins the names of settings whose values depend on the machine's locales. */
    private static final String LOCALE = "lc_";

    private static final String UNKNOWN_VALUE = "22023";

    private PostgresSessionDefaults() {}

    /** Returns the settings of a new session. Opens and closes a connection. */
    public static SessionDefaults of(NodeAccess access) throws SQLException {
        Properties properties = PostgresConnections.properties(access);
        properties.setProperty("socketTimeout", PostgresConnections.OPEN_SECONDS);
        try (Connection connection = DriverManager.getConnection(access.url(), properties);
                Statement statement = connection.createStatement()) {
            Map<String, String> values = values(statement);
            try (ResultSet stored = statement.executeQuery(STORED)) {
                stored.next();
                return new SessionDefaults(values, stored.getString(1), stored.getString(2));
            }
        }
    }

    private static Map<String, String> values(Statement statement) throws SQLException {
        Map<String, String> values = new LinkedHashMap<>();
        try (ResultSet rows = statement.executeQuery(VALUES)) {
            while (rows.next()) {
                values.put(rows.getString(1), rows.getString(2));
            }
        }
        return values;
    }

    /** Returns a text that changes when {@link #of} may have changed. Commits. */
    public static String state(Connection own) throws SQLException {
        return Queries.single(own, STATE, row -> row.getString(1));
    }

    /**
     * Stores the settings as defaults of a role, in place of its former ones. Commits after each setting, so that a
     * refused one does not undo the others. Sessions that are open already keep their settings.
     */
    public static void give(Connection satellite, String role, Map<String, String> values) throws SQLException {
        try (Statement statement = satellite.createStatement()) {
            statement.execute("ALTER ROLE " + role + " RESET ALL");
        }
        satellite.commit();
        for (Map.Entry<String, String> value : values.entrySet()) {
            try {
                give(satellite, role, value.getKey(), value.getValue());
            } catch (SQLException e) {
                satellite.rollback();
                if (!UNKNOWN_VALUE.equals(e.getSQLState()) || !value.getKey().startsWith(LOCALE)) {
                    throw e;
                }
                LOG.warn(
                        "a satellite's machine lacks the locale {} that the master has as {}: amounts of money, and what to_char writes in a language, may look otherwise there",
                        value.getValue(),
                        value.getKey());
            }
        }
    }

    /** Stores one setting: set_config accepts any text, and FROM CURRENT stores the value without quoting it again. */
    private static void give(Connection satellite, String role, String name, String value) throws SQLException {
        try (PreparedStatement set = satellite.prepareStatement("SELECT pg_catalog.set_config(?, ?, true)")) {
            set.setString(1, name);
            set.setString(2, value);
            set.execute();
        }
        try (Statement statement = satellite.createStatement()) {
            statement.execute("ALTER ROLE %s SET %s FROM CURRENT".formatted(role, name));
        }
        satellite.commit();
    }
}
