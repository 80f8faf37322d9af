package io.multimed.middleware.node.engine.mysql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * The settings of the master's server on which answers depend: clients' statements run in the server's own, so satellites must have the same. The master notes them at the start, and
 * satellites take them along when they are made.
 */
final class AnswerSettings {
    private static final List<String> NAMES =
            List.of("sql_mode", "group_concat_max_len", "div_precision_increment", "default_week_format");

    private AnswerSettings() {}

    /**
     * Notes what the master is set to.
     *
     * @return whether that is as it was noted the last time: if not, all satellites must begin anew
     */
    static boolean note(Connection master) throws SQLException {
        boolean known = true;
        for (String name : NAMES) {
            String now = Queries.texts(master, "SELECT @@GLOBAL." + name).get(0);
            List<String> noted = Queries.texts(master, "SELECT value FROM multimed.setting WHERE name = ?", name);
            if (!noted.equals(List.of(now))) {
                put(master, name, now);
                known = false;
            }
        }
        return known;
    }

    /** Takes them from the master, as its snapshot sees them noted, to a satellite. */
    static void copy(Connection master, Connection satellite) throws SQLException {
        for (String name : NAMES) {
            for (String value : Queries.texts(master, "SELECT value FROM multimed.setting WHERE name = ?", name)) {
                put(satellite, name, value);
            }
        }
    }

    /** Sets the satellite's server to them, for sessions that begin later. */
    static void apply(Connection satellite) throws SQLException {
        for (String name : NAMES) {
            for (String value : Queries.texts(satellite, "SELECT value FROM multimed.setting WHERE name = ?", name)) {
                Queries.run(satellite, "SET GLOBAL %s = %s".formatted(name, inSql(value)));
            }
        }
    }

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
