// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.tpcw.interaction.InteractionType;
import io.multimed.tpcw.population.RandomValues;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Navigation of users (TPC-W clause 5.1): browsing, shopping or ordering. The file mixes.txt contains the transition
 * probabilities as thresholds from 1 to 9,999.
 */
public enum Mix {
    /** 95 % of the interactions browse; the source of WIPSb. */
    BROWSING,
    /** 80 % of the interactions browse; the mix of the primary metric WIPS. */
    SHOPPING,
    /** Half of the interactions belong to orders; the source of WIPSo. */
    ORDERING;

    private static final int MAX_DICE = 9_999;

    /** For each page, the following pages by threshold. Not changed after reading. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final Map<InteractionType, NavigableMap<Integer, InteractionType>> thresholds = read();

    /** Returns a random page that follows {@code page}. */
    public InteractionType after(InteractionType page, RandomValues dice) {
        return next(page).ceilingEntry(dice.between(1, MAX_DICE)).getValue();
    }

    /** Returns the probability that {@code to} follows {@code from}. */
    public double probability(InteractionType from, InteractionType to) {
        int before = 0;
        for (Map.Entry<Integer, InteractionType> entry : next(from).entrySet()) {
            if (entry.getValue() == to) {
                return (entry.getKey() - before) / (double) MAX_DICE;
            }
            before = entry.getKey();
        }
        return 0;
    }

    private NavigableMap<Integer, InteractionType> next(InteractionType page) {
        return Objects.requireNonNull(thresholds.get(page));
    }

    /**
     * Reads the section of this mix from mixes.txt. A file that cannot be read is an error of the build, hence
     * unchecked.
     */
    private Map<InteractionType, NavigableMap<Integer, InteractionType>> read() {
        try (InputStream in = Objects.requireNonNull(Mix.class.getResourceAsStream("mixes.txt"));
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8))) {
            return lines.lines()
                    .dropWhile(line -> !line.equals("[" + name().toLowerCase(Locale.ROOT) + "]"))
                    .skip(1)
                    .takeWhile(line -> !line.startsWith("["))
                    .collect(() -> new EnumMap<>(InteractionType.class), Mix::enter, Map::putAll);
        } catch (IOException e) {
            throw new UncheckedIOException("mixes.txt cannot be read", e);
        }
    }

    /**
     * Parses a line of the form {@code HOME: BESS 369, NEWP 5000, ...}: the page, and its successors with their upper
     * thresholds.
     */
    private static void enter(Map<InteractionType, NavigableMap<Integer, InteractionType>> table, String line) {
        String[] row = line.split(": ", 2);
        NavigableMap<Integer, InteractionType> next = new TreeMap<>();
        for (String entry : row[1].split(", ", -1)) {
            String[] pair = entry.split(" ", 2);
            next.put(Integer.valueOf(pair[1]), InteractionType.valueOf(pair[0]));
        }
        table.put(InteractionType.valueOf(row[0]), next);
    }
}
