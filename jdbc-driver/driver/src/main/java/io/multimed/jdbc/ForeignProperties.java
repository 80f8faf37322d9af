package io.multimed.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Properties that are not this driver's. One that an engine's own driver knows is refused if its value would change what an application sees, and nobody would do
 * so; of one that nobody knows a warning is given. The known ones are in foreign-properties.txt.
 */
final class ForeignProperties {
    private static final Logger LOG = Logger.getLogger("io.multimed.jdbc");
    private static final Pattern LINE = Pattern.compile("(\\S+) =([^\\[]*)(?:\\[(.*)])?");

    /** Whatever the letters' case: some engines' drivers do not mind it. */
    private static final Map<String, Rule> KNOWN = read();

    /** A name is taken for a misspelt one of a known name if so many letters differ, at most. */
    private static final int MISSPELT = 3;

    /** Timeouts that are given in milliseconds elsewhere are not so long in seconds. */
    private static final int LONG_IN_SECONDS = 1_000;

    private ForeignProperties() {}

    /**
     * With which values a property does nothing that is not done anyhow.
     *
     * @param accepted in lower case; {@code *} for all
     * @param instead what to do, or nothing
     */
    private record Rule(List<String> accepted, String instead) {
        boolean accepts(String value) {
            String told = value.trim().toLowerCase(Locale.ROOT);
            return accepted.contains("*")
                    || accepted.contains(told)
                    || (accepted.contains("local")
                            && told.equals(TimeZone.getDefault().getID().toLowerCase(Locale.ROOT)));
        }
    }

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
     * Looks at all properties that were given.
     *
     * @return what to warn of
     * @throws SQLException 0A000 for one that would change what an application sees
     */
    static List<SQLWarning> check(Properties given) throws SQLException {
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
        warnings.forEach(warning -> LOG.warning(warning.getMessage()));
        return warnings;
    }

    /** The value is not told of what may be secret. */
    private static SQLException refusal(String name, Rule rule, String value) {
        String accepted = String.join(", ", rule.accepted());
        return new SQLFeatureNotSupportedException(
                "the property %s%s is one of the engine's own driver and is not supported through Multimed: %s"
                                .formatted(
                                        name,
                                        accepted.isEmpty() ? "" : "=" + value,
                                        accepted.isEmpty() ? "leave it out" : "leave it out, or set it to " + accepted)
                        + (rule.instead().isEmpty() ? "" : "; " + rule.instead()),
                SqlStates.NOT_SUPPORTED);
    }

    private static SQLWarning unknown(String name) {
        String nearest = nearest(name);
        return new SQLWarning(
                "the property %s is not known and does nothing%s"
                        .formatted(name, nearest.isEmpty() ? "" : ": is it " + nearest + " that is meant?"),
                SqlStates.WARNING);
    }

    private static void warnOfMilliseconds(DriverProperty property, Properties given, List<SQLWarning> warnings) {
        if (property.number(given) >= LONG_IN_SECONDS) {
            warnings.add(new SQLWarning(
                    "the property %s is in seconds: %s is more than a quarter of an hour"
                            .formatted(property.key, property.of(given)),
                    SqlStates.WARNING));
        }
    }

    /** The known name that is most like it; empty if none is. */
    private static String nearest(String name) {
        String told = name.toLowerCase(Locale.ROOT);
        return Stream.concat(Arrays.stream(DriverProperty.values()).map(own -> own.key), KNOWN.keySet().stream())
                .filter(known ->
                        distance(told, known.toLowerCase(Locale.ROOT)) <= Math.min(MISSPELT, told.length() / 3))
                .min(Comparator.comparingInt(known -> distance(told, known.toLowerCase(Locale.ROOT))))
                .orElse("");
    }

    /** How many letters must be put in, taken out or changed to make the one of the other. */
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
