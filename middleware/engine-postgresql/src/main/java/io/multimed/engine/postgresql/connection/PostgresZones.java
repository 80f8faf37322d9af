// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Reads and sets the time zones of the engine's sessions. The engine reports each change of the time zone to its
 * driver, so that reading it needs no round trip.
 */
public final class PostgresZones {
    private static final String SETTING = "TimeZone";

    /**
     * A zone in POSIX notation, which the engine supports and Java does not. The sign is the opposite of the one in ISO
     * 8601: positive is west of Greenwich.
     */
    private static final Pattern POSIX =
            Pattern.compile("(?:<[^>]+>|[A-Za-z]+)([+-]?)(\\d{1,2})(?::(\\d{2}))?(?::(\\d{2}))?");

    /** The offset at the end of a timestamp, before the era. */
    private static final Pattern OFFSET = Pattern.compile("([+-]\\d\\d(?::\\d\\d){0,2})(?: BC)?$");

    /**
     * Sets the zone of the session and discards its plans, which contain constants of timestamptz that were read in the
     * former zone. Readers of satellites may not call set_config.
     */
    private static final String CHANGE = "SET TimeZone = %s; DISCARD PLANS";

    private PostgresZones() {}

    /**
     * Returns the engine's name for a zone of java.util.TimeZone. In names such as GMT+1 the engine uses the opposite
     * sign.
     */
    public static String ofJava(String zone) {
        if (zone.length() > 4 && zone.startsWith("GMT")) {
            return switch (zone.charAt(3)) {
                case '+' -> "GMT-" + zone.substring(4);
                case '-' -> "GMT+" + zone.substring(4);
                default -> zone;
            };
        }
        return zone;
    }

    /**
     * Sets the zone of a session, in auto-commit, so that no rollback undoes it. Sends nothing if the session has the
     * zone already. Restores the connection's auto-commit mode.
     */
    public static void set(Connection connection, String zone) throws SQLException {
        if (zone.equalsIgnoreCase(present(connection))) {
            return;
        }
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(true);
        try (Statement change = connection.createStatement()) {
            change.setEscapeProcessing(false);
            change.execute(CHANGE.formatted(Quoting.literal(zone)));
        }
        connection.setAutoCommit(autoCommit);
    }

    /**
     * Returns the same moment with the offset in the engine's text.
     *
     * @param text a timestamptz in the ISO style
     */
    public static OffsetDateTime asWritten(String text, OffsetDateTime moment) {
        Matcher offset = OFFSET.matcher(text);
        return offset.find()
                ? moment.withOffsetSameInstant(ZoneOffset.of(offset.group(1)))
                : moment; // also for infinity
    }

    /** Returns the same moment with the offset of the session's zone; null and infinities are returned unchanged. */
    public static @Nullable OffsetDateTime local(Connection connection, @Nullable OffsetDateTime moment)
            throws SQLException {
        boolean infinite = OffsetDateTime.MAX.equals(moment) || OffsetDateTime.MIN.equals(moment);
        if (moment == null || infinite) {
            return moment;
        }
        return moment.atZoneSameInstant(toJava(present(connection))).toOffsetDateTime();
    }

    /**
     * Checks the engine's timestamp without time zone, which the driver has converted to this machine's zone.
     *
     * @param local the moment in this machine's zone
     * @throws SQLException 0A000 if the value cannot be determined, because the clock was put forward: the driver moves
     *     times that do not exist, so that two timestamps yield the same value
     */
    public static void checkUnshifted(Instant moment, LocalDateTime local) throws SQLException {
        ZoneOffsetTransition last = ZoneId.systemDefault().getRules().previousTransition(moment.plusNanos(1));
        if (last != null
                && last.isGap()
                && local.isBefore(last.getDateTimeAfter().plus(last.getDuration()))) {
            throw new SQLException(
                    "the timestamp %s of an OUT parameter is ambiguous, because clocks are put forward at this time in the middleware's time zone, %s: return the value as a text, or as a row"
                            .formatted(local, ZoneId.systemDefault()),
                    "0A000");
        }
    }

    /** Returns the session's zone, as the driver has last received it. */
    private static String present(Connection connection) throws SQLException {
        return String.valueOf(connection.unwrap(PGConnection.class).getParameterStatus(SETTING));
    }

    /**
     * Returns the Java zone for a name of the engine; UTC for names that Java does not know, such as POSIX zones with
     * rules for daylight saving time.
     */
    static ZoneId toJava(String zone) {
        Matcher posix = POSIX.matcher(zone);
        if (posix.matches()) {
            int sign = posix.group(1).equals("-") ? 1 : -1;
            return ZoneOffset.ofTotalSeconds(
                    sign * (number(posix.group(2)) * 3600 + number(posix.group(3)) * 60 + number(posix.group(4))));
        }
        try {
            return ZoneId.of(zone, ZoneId.SHORT_IDS);
        } catch (DateTimeException e) {
            return ZoneOffset.UTC;
        }
    }

    private static int number(@Nullable String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }
}
