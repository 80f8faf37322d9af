// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds statements that change a setting to a value with which the engine's driver cannot read results: it would close
 * the connection. Changes that the text does not show are reported when they have happened.
 */
public final class DriverSettings {
    /** Begins the reason, for the application's developer. */
    public static final String REASON =
            "PostgreSQL's JDBC driver, by which Multimed reads results, requires client_encoding to be UTF8, and DateStyle to begin with ISO: for other formats use to_char and convert_to";

    private static final Set<String> UTF8 = Set.of("UTF8", "UNICODE", "DEFAULT");

    /** Finds calls of set_config with constants; the groups contain the setting and its value. */
    private static final Pattern SET_CONFIG =
            Pattern.compile("set_config\\s*\\(\\s*'([^']*)'\\s*,\\s*'([^']*)'", Pattern.CASE_INSENSITIVE);

    private DriverSettings() {}

    /** Returns whether a SET changes such a setting. */
    static boolean isSet(SqlText statement) {
        int at = Set.of("SESSION", "LOCAL").contains(statement.word(1)) ? 2 : 1;
        if (statement.isAt(at, "NAMES")) {
            return isRefused("CLIENT_ENCODING", values(statement, at + 1));
        }
        boolean assigns = statement.isSignAt(at + 1, "=") || statement.isAt(at + 1, "TO");
        return assigns && isRefused(plain(statement.word(at)), values(statement, at + 2));
    }

    /** Returns whether a call of set_config changes such a setting. */
    static boolean isConfigured(SqlText statement) {
        Matcher call = SET_CONFIG.matcher(statement.text());
        while (call.find()) {
            if (isRefused(plain(call.group(1)), items(call.group(2)).toList())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the setting that the engine's driver has found changed; null if its message is about something else. The
     * messages are translated, but contain the name in every language.
     */
    public static @Nullable String named(String message) {
        return Stream.of("client_encoding", "DateStyle")
                .filter(message::contains)
                .findFirst()
                .orElse(null);
    }

    private static boolean isRefused(String setting, List<String> values) {
        return switch (setting) {
            case "CLIENT_ENCODING" ->
                values.size() == 1
                        && !UTF8.contains(values.get(0).replaceAll("[^A-Z0-9]", "")); // as the engine compares names
            case "DATESTYLE" -> values.stream().anyMatch(DriverSettings::isOtherStyle);
            default -> false;
        };
    }

    private static boolean isOtherStyle(String style) {
        return style.startsWith("POSTGRES") || style.equals("SQL") || style.equals("GERMAN");
    }

    /** Returns the items of a list of words and plain constants, in upper case; none if there are other constants. */
    private static List<String> values(SqlText statement, int first) {
        List<String> values = new ArrayList<>();
        for (int i = first; i < statement.tokens().size(); i++) {
            Token token = statement.tokens().get(i);
            if (token.kind() != Token.Kind.SIGN) {
                String written = statement.text(token);
                if (token.kind() == Token.Kind.STRING && !written.startsWith("'")) {
                    return List.of();
                }
                items(written).forEach(values::add);
            }
        }
        return values;
    }

    private static Stream<String> items(String list) {
        return Stream.of(plain(list).split(",", -1)).map(String::strip);
    }

    /** Returns a name or constant without its quotes. */
    private static String plain(String written) {
        return written.replaceAll("[\"']", "").toUpperCase(Locale.ROOT);
    }
}
