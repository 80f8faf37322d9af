package io.multimed.engine.mysql.schema;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * The time zone of a server, in which its sessions are unless they say otherwise: an offset, a name, or SYSTEM, the zone of its machine, which cannot be asked for by name. So zones are
 * compared by what they make of many moments.
 */
final class ServerZone {
    /** Every 25 days from 1970 to 2037: as many as an engine's recursion allows by itself. */
    private static final String CLOCK = """
            WITH RECURSIVE steps (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM steps WHERE n < 990)
            SELECT SUM(CRC32(CONCAT(n, ' ', FROM_UNIXTIME((n + 1) * 2160000)))) FROM steps""";

    private static final String OFFSET =
            "SELECT TIME_FORMAT(TIMEDIFF(FROM_UNIXTIME(86400), TIMESTAMP'1970-01-02 00:00:00'), '%H:%i')";
    private static final String REFUSED = "0A000";

    private ServerZone() {}

    /** What the server's zone makes of many moments. */
    static String clock(Connection connection) throws SQLException {
        return inServersZone(connection, CLOCK);
    }

    /** The server's zone in 1970, as an offset. */
    static String offset(Connection connection) throws SQLException {
        String offset = inServersZone(connection, OFFSET);
        return offset.startsWith("-") ? offset : '+' + offset;
    }

    private static String inServersZone(Connection connection, String query) throws SQLException {
        Queries.run(connection, "SET time_zone = @@GLOBAL.time_zone");
        try {
            return Queries.texts(connection, query).get(0);
        } finally {
            Queries.run(connection, "SET time_zone = '+00:00'"); // as Multimed's own connections have it
        }
    }

    /**
     * Gives a satellite the master's zone.
     *
     * @param zone the master's word for it
     * @param clock the master's
     * @param offset the master's
     * @throws SQLException 0A000 if it cannot be set to that
     */
    static void set(Connection satellite, String zone, String clock, String offset) throws SQLException {
        for (String candidate : List.of(zone, offset)) {
            if (isKnown(satellite, candidate)) {
                Queries.run(satellite, "SET GLOBAL time_zone = " + Names.literal(candidate));
                if (clock(satellite).equals(clock)) {
                    return;
                }
            }
        }
        throw new SQLException(
                "the master's time zone is %s, and this satellite cannot be set to the same: set the master's default_time_zone to an offset, or to a name and load the time zone tables there (mysql_tzinfo_to_sql); or run the satellite's machine in the master's zone"
                        .formatted(zone),
                REFUSED);
    }

    private static boolean isKnown(Connection satellite, String zone) throws SQLException {
        return zone.equals("SYSTEM")
                || Queries.texts(satellite, "SELECT CONVERT_TZ('2000-01-01', '+00:00', ?)", zone)
                                .get(0)
                        != null;
    }
}
