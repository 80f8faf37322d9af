// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.figure;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a user that bound the time of all figures. Absent values, and an empty list, are those of the form.
 *
 * @param rounds of each measurement, at least 1
 * @param seconds of a round, at least 1
 * @param warmup seconds before the first round of a database, at least 0
 * @param clients numbers of clients of the figures against clients, at least 1 each, in ascending order
 * @param levels names of the optimization levels of the figures that compare levels, in upper case
 */
public record Bounds(
        @Nullable Integer rounds,
        @Nullable Integer seconds,
        @Nullable Integer warmup,
        List<Integer> clients,
        List<String> levels) {
    /** No bounds. */
    public static final Bounds NONE = new Bounds(null, null, null, List.of(), List.of());

    public Bounds {
        clients = clients.stream().distinct().sorted().toList();
        levels = List.copyOf(levels);
    }

    /** Returns the options of the command line, each after a space. */
    public String options() {
        String list = clients.stream().map(String::valueOf).collect(Collectors.joining(","));
        return Stream.of(
                        option("--rounds", rounds),
                        option("--seconds", seconds),
                        option("--warmup", warmup),
                        option("--clients", list.isEmpty() ? null : list),
                        option("--levels", levels.isEmpty() ? null : String.join(",", levels)))
                .filter(Objects::nonNull)
                .collect(Collectors.joining());
    }

    private static @Nullable String option(String name, @Nullable Object value) {
        return value == null ? null : " %s %s".formatted(name, value);
    }
}
