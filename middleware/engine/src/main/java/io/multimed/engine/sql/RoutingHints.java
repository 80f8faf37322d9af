// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a comment of the form {@code /*+ multimed: hint hint ... *}{@code /} asks for. The comment stands at the
 * beginning of the text or behind its first word; engines ignore it.
 *
 * @param master whether the master runs the statement although a satellite could
 * @param node the name of the node that runs a read; null for any
 * @param routingClass the name of the routing class of a read; null if the model decides
 * @param freshness the time within which the state that a read returns must have been current, if the read stands
 *     alone; null if it must be current when the read begins
 * @param cached whether the result may come from the cache, and may be kept there
 */
public record RoutingHints(
        boolean master,
        @Nullable String node,
        @Nullable String routingClass,
        @Nullable Duration freshness,
        boolean cached) {
    public static final RoutingHints NONE = new RoutingHints(false, null, null, null, true);

    /** Older states are not known. */
    private static final Duration MAX_FRESHNESS = Duration.ofHours(1);

    private static final Pattern MARK = Pattern.compile("\\s*\\+\\s*multimed\\s*:(.*)", Pattern.DOTALL);
    private static final Pattern BETWEEN = Pattern.compile("[\\s,]+");
    private static final Pattern NAME = Pattern.compile("[a-zA-Z][a-zA-Z0-9_-]{0,62}");
    private static final Pattern DURATION = Pattern.compile("(\\d{1,7})(ms|s|m|h)");

    private static final String HINTS =
            "the hints are master, node=NAME, class=NAME, freshness=DURATION such as 30s, and cache=off";

    /** Reports a hint that does not exist, or has a value that is not possible. */
    public static final class MalformedException extends Exception {
        private static final long serialVersionUID = 1L;

        MalformedException(String message) {
            super(message);
        }
    }

    public static RoutingHints of(String sql) throws MalformedException {
        int at = 0;
        boolean word = false;
        while (at < sql.length()) {
            char next = sql.charAt(at);
            if (Character.isWhitespace(next)) {
                at++;
            } else if (sql.startsWith("/*", at)) {
                int end = sql.indexOf("*/", at + 2);
                String comment = end < 0 ? "" : sql.substring(at + 2, end);
                Matcher hints = MARK.matcher(comment);
                if (hints.matches()) {
                    return parse(hints.group(1));
                }
                if (end < 0 || comment.startsWith("!") || (comment + "*").contains("/*")) {
                    return NONE; // not the same comment for every engine
                }
                at = end + 2;
            } else if (sql.startsWith("-- ", at)) {
                int end = sql.indexOf('\n', at);
                at = end < 0 ? sql.length() : end;
            } else if (!word && Character.isLetter(next)) {
                word = true;
                while (at < sql.length() && Character.isLetter(sql.charAt(at))) {
                    at++;
                }
            } else {
                return NONE;
            }
        }
        return NONE;
    }

    private static RoutingHints parse(String text) throws MalformedException {
        RoutingHints hints = NONE;
        for (String hint : BETWEEN.split(text.strip(), -1)) {
            int equals = hint.indexOf('=');
            String key = (equals < 0 ? hint : hint.substring(0, equals)).toLowerCase(Locale.ROOT);
            hints = hints.with(key, equals < 0 ? "" : hint.substring(equals + 1), hint);
        }
        return hints;
    }

    private RoutingHints with(String key, String value, String hint) throws MalformedException {
        return switch (key) {
            case "master" -> {
                check(value.isEmpty() && !hint.contains("="), hint, "master has no value");
                yield new RoutingHints(true, node, routingClass, freshness, cached);
            }
            case "node" -> {
                check(NAME.matcher(value).matches(), hint, "name a node of the System Model");
                yield new RoutingHints(master, value, routingClass, freshness, cached);
            }
            case "class" -> {
                check(NAME.matcher(value).matches(), hint, "name a routing class of the System Model");
                yield new RoutingHints(master, node, value, freshness, cached);
            }
            case "freshness" -> new RoutingHints(master, node, routingClass, duration(value, hint), cached);
            case "cache" -> {
                check(value.equalsIgnoreCase("off"), hint, "only cache=off is possible");
                yield new RoutingHints(master, node, routingClass, freshness, false);
            }
            default -> throw malformed(hint, HINTS);
        };
    }

    private static Duration duration(String value, String hint) throws MalformedException {
        Matcher parts = DURATION.matcher(value);
        check(parts.matches(), hint, "write a number and ms, s, m or h, such as 30s");
        long count = Long.parseLong(parts.group(1));
        Duration duration = switch (parts.group(2)) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            default -> Duration.ofHours(count);
        };
        check(duration.compareTo(MAX_FRESHNESS) <= 0, hint, "at most 1h is possible");
        return duration;
    }

    private static void check(boolean correct, String hint, String advice) throws MalformedException {
        if (!correct) {
            throw malformed(hint, advice);
        }
    }

    private static MalformedException malformed(String hint, String advice) {
        return new MalformedException(
                "\"%s\" in the comment /*+ multimed: ... */ is not a valid hint: %s".formatted(hint, advice));
    }
}
