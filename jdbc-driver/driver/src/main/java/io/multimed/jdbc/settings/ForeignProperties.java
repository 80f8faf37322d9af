// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.settings;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.jdbc.support.SqlStates;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLWarning;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Checks properties that this driver does not define. A property of an engine's own driver is refused if its value
 * would change the behavior in a way that Multimed does not implement; an unknown property causes a warning. The file
 * foreign-properties.txt lists the properties of the engines' own drivers.
 */
public final class ForeignProperties {
    private static final Logger LOG = Logger.getLogger("io.multimed.jdbc");
    private static final Pattern LINE = Pattern.compile("(\\S+) =([^\\[]*)(?:\\[(.*)])?");

    /** The rules by name. Names are compared without case, because some engines' drivers ignore case. */
    private static final Map<String, Rule> KNOWN = read();

    /** Maximum number of different letters between a misspelt name and the known name. */
    private static final int MISSPELT = 3;

    /** Above this value a timeout in seconds is probably meant in milliseconds. */
    private static final int LONG_IN_SECONDS = 1_000;

    private ForeignProperties() {}

    /**
     * Lists the values of a foreign property that request the behavior of Multimed, and can therefore be accepted.
     *
     * @param accepted values in lower case; {@code *} for any value
     * @param instead the alternative, for the message; empty if there is none
     */
    private record Rule(List<String> accepted, String instead) {
        /** Returns whether a value requests the behavior of Multimed. */
        boolean accepts(String value) {
            String lower = value.trim().toLowerCase(Locale.ROOT);
            return accepted.contains("*")
                    || accepted.contains(lower)
                    || (accepted.contains("local") && isZoneOfThisMachine(value.trim()));
        }

        /** Returns whether a time zone, under any of its names, has the same clock as the default zone at all times. */
        private static boolean isZoneOfThisMachine(String name) {
            try {
                ZoneId zone = ZoneId.of(name, ZoneId.SHORT_IDS);
                return zone.getRules().equals(ZoneId.systemDefault().getRules());
            } catch (DateTimeException e) {
                return false;
            }
        }
    }

    /** Reads the rules from the file. */
    private static Map<String, Rule> read() {
        Map<String, Rule> rules = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        InputStream file =
                Objects.requireNonNull(ForeignProperties.class.getResourceAsStream("foreign-properties.txt"));
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(file, UTF_8))) {
            lines.lines().map(LINE::matcher).filter(Matcher::matches).forEach(line -> {
                List<String> accepted = Stream.of(line.group(2).split(",", -1))
                        .map(value -> value.trim().toLowerCase(Locale.ROOT))
                        .toList();
                rules.put(line.group(1), new Rule(accepted, Objects.toString(line.group(3), "")));
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return rules;
    }

    /**
     * Checks all given properties.
     *
     * @return warnings
     * @throws SQLException 0A000 for a property that would change the behavior
     */
    public static List<SQLWarning> check(Properties given) throws SQLException {
        List<SQLWarning> warnings = new ArrayList<>();
        for (String name : given.stringPropertyNames()) {
            if (!DriverProperty.isKnown(name)) {
                Rule rule = KNOWN.get(name);
                if (rule == null) {
                    warnings.add(unknown(name));
                } else if (!rule.accepts(given.getProperty(name))) {
                    throw refusal(name, rule, given.getProperty(name));
                }
            }
        }
        warnOfMilliseconds(DriverProperty.CONNECT_TIMEOUT, given, warnings);
        warnOfMilliseconds(DriverProperty.SOCKET_TIMEOUT, given, warnings);
        warnOfMilliseconds(DriverProperty.OUTCOME_TIMEOUT, given, warnings);
        warnings.forEach(warning -> LOG.warning(warning.getMessage()));
        return warnings;
    }

    /**
     * Returns the exception for a refused property. Omits the value if no value is accepted, because the value may be
     * secret.
     */
    private static SQLException refusal(String name, Rule rule, String value) {
        String accepted = String.join(", ", rule.accepted());
        return new SQLFeatureNotSupportedException(
                "the property %s%s of the engine's own driver is not supported by Multimed: %s"
                                .formatted(
                                        name,
                                        accepted.isEmpty() ? "" : "=" + value,
                                        accepted.isEmpty() ? "leave it out" : "leave it out, or set it to " + accepted)
                        + (rule.instead().isEmpty() ? "" : "; " + rule.instead()),
                SqlStates.NOT_SUPPORTED);
    }

    /** Returns the warning about an unknown property, with the most similar known name. */
    private static SQLWarning unknown(String name) {
        String nearest = nearest(name);
        return new SQLWarning(
                "the property %s is unknown and has no effect%s"
                        .formatted(name, nearest.isEmpty() ? "" : ": did you mean " + nearest + "?"),
                SqlStates.WARNING);
    }

    /** Warns if a timeout is so long that it is probably meant in milliseconds. */
    private static void warnOfMilliseconds(DriverProperty property, Properties given, List<SQLWarning> warnings) {
        if (property.seconds(given) >= LONG_IN_SECONDS) {
            warnings.add(new SQLWarning(
                    "the property %s is in seconds: %s is more than a quarter of an hour"
                            .formatted(property.key, property.value(given)),
                    SqlStates.WARNING));
        }
    }

    /** Returns the most similar known name; empty if there is none. */
    private static String nearest(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return Stream.concat(Arrays.stream(DriverProperty.values()).map(own -> own.key), KNOWN.keySet().stream())
                .filter(known ->
                        distance(lower, known.toLowerCase(Locale.ROOT)) <= Math.min(MISSPELT, lower.length() / 3))
                .min(Comparator.comparingInt(known -> distance(lower, known.toLowerCase(Locale.ROOT))))
                .orElse("");
    }

    /** Returns the edit distance between two names. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int changed = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
