// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.schema;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Compares and sets the time zone of a server, with which its sessions begin: an offset, a name, or SYSTEM. SYSTEM is
 * the zone of the server's machine, whose name the server does not report. Zones are therefore compared by the local
 * times of many moments.
 */
final class ServerZone {
    /**
     * A checksum of local times, every 25 days from 1970 to 2037: the engines permit about 1,000 recursions by
     * default.
     */
    private static final String CLOCK = """
            WITH RECURSIVE steps (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM steps WHERE n < 990)
            SELECT SUM(CRC32(CONCAT(n, ' ', FROM_UNIXTIME((n + 1) * 2160000)))) FROM steps""";

    /** The local time of a moment in January 1970, minus the same in UTC. */
    private static final String OFFSET =
            "SELECT TIME_FORMAT(TIMEDIFF(FROM_UNIXTIME(86400), TIMESTAMP'1970-01-02 00:00:00'), '%H:%i')";

    private static final String REFUSED = "0A000";

    private ServerZone() {}

    /** Returns the checksum of local times in the server's zone. */
    static String clock(Connection connection) throws SQLException {
        return inServersZone(connection, CLOCK);
    }

    /** Returns the offset of the server's zone in January 1970. */
    static String offset(Connection connection) throws SQLException {
        String offset = inServersZone(connection, OFFSET);
        return offset.startsWith("-") ? offset : '+' + offset;
    }

    /** Runs a query in the server's time zone, and restores UTC, which all of Multimed's own connections use. */
    private static String inServersZone(Connection connection, String query) throws SQLException {
        Queries.execute(connection, "SET time_zone = @@GLOBAL.time_zone");
        try {
            return Queries.texts(connection, query).get(0);
        } finally {
            Queries.execute(connection, "SET time_zone = '+00:00'");
        }
    }

    /**
     * Gives a satellite's server the master's time zone, by its name or, if the zone has no changes, by its offset.
     *
     * @param zone the master's name of the zone
     * @param clock the master's checksum of local times
     * @param offset the master's offset
     * @throws SQLException 0A000 if the server cannot be set to the same zone
     */
    static void set(Connection satellite, String zone, String clock, String offset) throws SQLException {
        for (String candidate : List.of(zone, offset)) {
            if (isKnown(satellite, candidate)) {
                Queries.execute(satellite, "SET GLOBAL time_zone = " + Names.literal(candidate));
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

    /** Returns whether the satellite's server knows the zone; CONVERT_TZ returns NULL for an unknown one. */
    private static boolean isKnown(Connection satellite, String zone) throws SQLException {
        return zone.equals("SYSTEM")
                || Queries.texts(satellite, "SELECT CONVERT_TZ('2000-01-01', '+00:00', ?)", zone)
                                .get(0)
                        != null;
    }
}
