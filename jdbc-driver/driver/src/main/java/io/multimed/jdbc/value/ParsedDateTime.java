// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import io.multimed.jdbc.support.SqlStates;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.SimpleTimeZone;
import java.util.TimeZone;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A date, a time, or both, as a text contains them. Fields that the text does not contain are those of the first moment
 * of 1970.
 *
 * @param offset in seconds from UTC; null if the text has none
 */
record ParsedDateTime(
        int year,
        int month,
        int day,
        int hour,
        int minute,
        int second,
        int nanos,
        @Nullable Integer offset,
        boolean beforeChrist) {
    private static final String DATE = "(?<year>\\d{1,9})-(?<month>\\d{1,9})-(?<day>\\d{1,9})\\s*";
    private static final String TIME =
            "(?<hour>\\d{1,9}):(?<minute>\\d{1,9}):(?<second>\\d{1,9})(?:\\.(?<fraction>\\d{1,9}))?\\s*";
    private static final String OFFSET =
            "(?<sign>[+-])(?<hours>\\d{1,9})(?::(?<minutes>\\d{1,9}))?(?::(?<seconds>\\d{1,9}))?\\s*";
    private static final Pattern ANY =
            Pattern.compile("\\s*(?:%s)?(?:%s)?(?:%s)?(?<era>AD|BC)?".formatted(DATE, TIME, OFFSET));
    private static final Pattern DAY = Pattern.compile(DATE + "(?<era>BC)?");

    /**
     * Parses a date, a time or both, with or without an offset.
     *
     * @throws SQLException 22007 if the text is none of these
     */
    static ParsedDateTime parse(String text) throws SQLException {
        Matcher found = ANY.matcher(text);
        boolean dateOrTime = found.matches() && (found.group("year") != null || found.group("hour") != null);
        if (!dateOrTime || (found.group("era") != null && found.group("year") == null)) {
            throw wrong(text);
        }
        return new ParsedDateTime(
                number(found, "year", 1970),
                number(found, "month", 1),
                number(found, "day", 1),
                number(found, "hour", 0),
                number(found, "minute", 0),
                number(found, "second", 0),
                nanos(found.group("fraction")),
                found.group("sign") == null ? null : offset(found),
                "BC".equals(found.group("era")));
    }

    /**
     * Parses a date without a time.
     *
     * @throws SQLException 22007 if the text is no date
     */
    static ParsedDateTime parseDate(String text) throws SQLException {
        if (!DAY.matcher(text).matches()) {
            throw wrong(text);
        }
        return parse(text);
    }

    private static SQLException wrong(String text) {
        return new SQLDataException("Bad value for type timestamp/date/time: " + text, SqlStates.INVALID_DATETIME);
    }

    private static int number(Matcher found, String group, int otherwise) {
        String digits = found.group(group);
        return digits == null ? otherwise : Integer.parseInt(digits);
    }

    private static int nanos(@Nullable String fraction) {
        return fraction == null ? 0 : Integer.parseInt((fraction + "00000000").substring(0, 9));
    }

    private static int offset(Matcher found) {
        int seconds = number(found, "hours", 0) * 3600 + number(found, "minutes", 0) * 60 + number(found, "seconds", 0);
        return found.group("sign").equals("-") ? -seconds : seconds;
    }

    /** Returns the same time on the first day of 1970. */
    ParsedDateTime onFirstDay() {
        return new ParsedDateTime(1970, 1, 1, hour, minute, second, nanos, offset, false);
    }

    /**
     * Returns a calendar in the offset of the text if the text has an offset, otherwise in the zone; the fraction of
     * the second is cut off.
     */
    Calendar in(TimeZone zone) {
        TimeZone own = offset == null ? zone : new SimpleTimeZone(offset * 1000, "offset");
        Calendar calendar = new GregorianCalendar(own);
        calendar.clear();
        calendar.set(Calendar.ERA, beforeChrist ? GregorianCalendar.BC : GregorianCalendar.AD);
        calendar.set(year, month - 1, day, hour, minute, second);
        return calendar;
    }
}
