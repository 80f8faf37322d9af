package io.multimed.engine.postgresql.connection;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** The time zones of the engine's sessions. The engine tells its driver each change of one, so that it is known without asking. */
public final class PostgresZones {
    private static final String SETTING = "TimeZone";

    /** A zone of POSIX, which the engine understands and Java does not: the sign says how far UTC is ahead. */
    private static final Pattern POSIX =
            Pattern.compile("(?:<[^>]+>|[A-Za-z]+)([+-]?)(\\d{1,2})(?::(\\d{2}))?(?::(\\d{2}))?");

    /** The offset at the end of a timestamp, before the era. */
    private static final Pattern OFFSET = Pattern.compile("([+-]\\d\\d(?::\\d\\d){0,2})(?: BC)?$");

    /** Plans hold constants of timestamptz, which were read in the zone that the session had when they were made. */
    private static final String CHANGE = "SELECT set_config('TimeZone', ?, false); DISCARD PLANS";

    private PostgresZones() {}

    /** The engine's name for a zone of java.util.TimeZone: of the form GMT+1 it takes the sign the other way round. */
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

    /** Outside of transactions, so that no rollback takes it back. */
    public static void set(Connection connection, String zone) throws SQLException {
        if (zone.equalsIgnoreCase(present(connection))) {
            return;
        }
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(true);
        try (PreparedStatement change = connection.prepareStatement(CHANGE)) {
            change.setString(1, zone);
            change.execute();
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

    /** The same moment as the session's SQL writes it. */
    public static @Nullable OffsetDateTime local(Connection connection, @Nullable OffsetDateTime moment)
            throws SQLException {
        boolean infinite = OffsetDateTime.MAX.equals(moment) || OffsetDateTime.MIN.equals(moment);
        if (moment == null || infinite) {
            return moment;
        }
        return moment.atZoneSameInstant(toJava(present(connection))).toOffsetDateTime();
    }

    /**
     * What the engine's timestamp without a zone was, before the driver read it as one of this machine's zone.
     *
     * @throws SQLException 0A000 if that cannot be known, because the clock was put forward: the driver has put times that do not exist forward, too
     */
    public static LocalDateTime unshifted(Timestamp value) throws SQLException {
        LocalDateTime local = value.toLocalDateTime();
        ZoneOffsetTransition last = ZoneId.systemDefault()
                .getRules()
                .previousTransition(value.toInstant().plusNanos(1));
        if (last != null
                && last.isGap()
                && local.isBefore(last.getDateTimeAfter().plus(last.getDuration()))) {
            throw new SQLException(
                    "an OUT parameter that is the timestamp %s cannot be told from another one, because the clock is put forward then in the middleware's time zone, %s: return it as a text, or as a row"
                            .formatted(local, ZoneId.systemDefault()),
                    "0A000");
        }
        return local;
    }

    private static String present(Connection connection) throws SQLException {
        return String.valueOf(connection.unwrap(PGConnection.class).getParameterStatus(SETTING));
    }

    /** UTC for what Java cannot know: rules for daylight saving time within the name. */
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
