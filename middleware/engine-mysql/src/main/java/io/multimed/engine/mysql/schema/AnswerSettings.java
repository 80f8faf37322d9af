package io.multimed.engine.mysql.schema;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Transfers the settings of the master's server on which results depend. Clients' sessions begin with the server's
 * settings, so that satellites need the same ones. The master stores its settings in {@code multimed.setting} at each
 * start, and a satellite copies them when it is seeded.
 */
public final class AnswerSettings {
    private static final String MODE = "sql_mode";

    /** Names of variables that satellites receive unchanged. */
    private static final List<String> NAMES = List.of(
            MODE,
            "group_concat_max_len",
            "div_precision_increment",
            "default_week_format",
            "lc_time_names",
            "max_sort_length");

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
        Map<String, String> present = new LinkedHashMap<>();
        for (String name : NAMES) {
            present.put(name, global(master, name));
        }
        present.put(ZONE, global(master, ZONE));
        present.put(CLOCK, ServerZone.clock(master));
        present.put(OFFSET, ServerZone.offset(master));
        present.put(ZONE_TABLES, ZoneTables.print(master));
        return present;
    }

    private static String global(Connection master, String name) throws SQLException {
        return Queries.texts(master, "SELECT @@GLOBAL." + name).get(0);
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

    /**
     * Sets the satellite's server to the copied settings, for sessions that begin later.
     *
     * @throws SQLException 0A000 if the satellite's server cannot be set to the master's time zone
     */
    public static void apply(Connection satellite) throws SQLException {
        for (String name : NAMES) {
            Queries.run(satellite, "SET GLOBAL %s = %s".formatted(name, inSql(one(satellite, name))));
        }
        ServerZone.set(satellite, one(satellite, ZONE), one(satellite, CLOCK), one(satellite, OFFSET));
    }

    /** Gives the satellite's open session the copied settings, except for the mode. */
    public static void adopt(Connection satellite) throws SQLException {
        for (String name : NAMES) {
            if (!name.equals(MODE)) {
                Queries.run(satellite, "SET SESSION %s = %s".formatted(name, inSql(one(satellite, name))));
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
