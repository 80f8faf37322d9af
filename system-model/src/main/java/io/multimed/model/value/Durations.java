// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.value;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads durations in their written form, for example {@code 500ms}, {@code 2s} or {@code 10m}. */
public final class Durations {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,9})\\s*(ms|s|m)");

    private Durations() {}

    /**
     * Reads the written form.
     *
     * @throws IllegalArgumentException if the text is not a duration
     */
    public static Duration parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("\"%s\" is not a duration such as 500ms or 2s".formatted(text));
        }
        long count = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            default -> Duration.ofMinutes(count);
        };
    }
}
