// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import io.multimed.protocol.value.ArrayValue;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.time.temporal.Temporal;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Formats values of the protocol as the engine does. All conversions beyond a value's own class use these texts, as in
 * the engine's own driver. The ends of the ranges of java.time represent the infinities; the last nanosecond of a day
 * represents 24:00:00.
 */
public final class TextFormat {
    static final String INFINITY = "infinity";
    static final String MINUS_INFINITY = "-infinity";

    private static final String DAYS_END = "24:00:00";

    private TextFormat() {}

    public static String of(Object value) {
        if (value instanceof String text) {
            return text;
        } else if (value instanceof Boolean truth) {
            return truth ? "t" : "f";
        } else if (value instanceof BigDecimal number) {
            return number.toPlainString();
        } else if (value instanceof Double number) {
            return FloatFormat.text(number);
        } else if (value instanceof Float number) {
            return FloatFormat.text(number);
        } else if (value instanceof byte[] bytes) {
            return "\\x" + HexFormat.of().formatHex(bytes);
        } else if (value instanceof ArrayValue array) {
            return array.text() == null ? array(array.elements(), false) : array.text();
        }
        return value instanceof Temporal temporal ? temporal(temporal) : value.toString();
    }

    private static String temporal(Temporal value) {
        if (value instanceof LocalDate date) {
            return infinite(date) ? infinity(date.getYear()) : day(date) + era(date);
        } else if (value instanceof LocalDateTime local) {
            LocalDate date = local.toLocalDate();
            return infinite(date) ? infinity(date.getYear()) : day(date) + " " + time(local.toLocalTime()) + era(date);
        } else if (value instanceof OffsetDateTime instant) {
            return instant(instant);
        } else if (value instanceof LocalTime time) {
            return time.equals(LocalTime.MAX) ? DAYS_END : time(time);
        } else if (value instanceof OffsetTime time) {
            return (time.toLocalTime().equals(LocalTime.MAX) ? DAYS_END : time(time.toLocalTime()))
                    + offset(time.getOffset());
        }
        return value.toString();
    }

    /** Formats a moment in its own offset: values of results have the offset of the session's time zone. */
    private static String instant(OffsetDateTime instant) {
        if (infinite(instant.toLocalDate())) {
            return infinity(instant.getYear());
        }
        LocalDate date = instant.toLocalDate();
        return day(date) + " " + time(instant.toLocalTime()) + offset(instant.getOffset()) + era(date);
    }

    /** Returns whether a date represents an infinity. */
    static boolean infinite(LocalDate date) {
        return date.equals(LocalDate.MAX) || date.equals(LocalDate.MIN);
    }

    private static String infinity(int year) {
        return year > 0 ? INFINITY : MINUS_INFINITY;
    }

    private static String day(LocalDate date) {
        int year = date.getYear() > 0 ? date.getYear() : 1 - date.getYear();
        return "%04d-%02d-%02d".formatted(year, date.getMonthValue(), date.getDayOfMonth());
    }

    private static String era(LocalDate date) {
        return date.getYear() > 0 ? "" : " BC";
    }

    private static String time(LocalTime time) {
        String whole = "%02d:%02d:%02d".formatted(time.getHour(), time.getMinute(), time.getSecond());
        return time.getNano() == 0
                ? whole
                : whole + "." + "%09d".formatted(time.getNano()).replaceAll("0+$", "");
    }

    /** Formats an offset: hours, then minutes and seconds if they are not zero. */
    private static String offset(ZoneOffset offset) {
        int seconds = Math.abs(offset.getTotalSeconds());
        String text = "%s%02d".formatted(offset.getTotalSeconds() < 0 ? "-" : "+", seconds / 3600);
        if (seconds % 3600 != 0) {
            text += ":%02d".formatted(seconds / 60 % 60);
        }
        return seconds % 60 == 0 ? text : text + ":%02d".formatted(seconds % 60);
    }

    /**
     * Formats an array.
     *
     * @param quoteAll whether to quote all elements, or only those that require quotes
     */
    public static String array(List<@Nullable Object> elements, boolean quoteAll) {
        StringBuilder text = new StringBuilder("{");
        for (Object element : elements) {
            text.append(text.length() == 1 ? "" : ",");
            if (element instanceof ArrayValue inner) {
                text.append(array(inner.elements(), quoteAll));
            } else {
                text.append(element == null ? "NULL" : element(of(element), quoteAll));
            }
        }
        return text.append('}').toString();
    }

    /**
     * Quotes an element of an array if the element requires quotes, or if the caller requests quotes for all elements.
     */
    private static String element(String text, boolean quoted) {
        boolean plain = !text.isEmpty()
                && !text.equalsIgnoreCase("NULL")
                && text.chars().noneMatch(c -> Character.isWhitespace(c) || "{},\"\\".indexOf(c) >= 0);
        return plain && !quoted ? text : '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
