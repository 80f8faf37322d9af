// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.population;

import java.util.List;

/**
 * WGEN: generates names and titles that contain a word computed from a number, so that a search for the word of the
 * number finds them (TPC-W clause 4.6.2.11).
 */
final class WordGenerator {
    private static final List<String> WORDS = List.of(
            "the",
            "and",
            "of",
            "a",
            "house",
            "river",
            "long",
            "story",
            "under",
            "night",
            "garden",
            "small",
            "light",
            "winter",
            "journey",
            "letters",
            "city",
            "without",
            "answer",
            "old",
            "stone",
            "secret",
            "children",
            "beyond",
            "silent",
            "harvest",
            "road",
            "over",
            "mountain",
            "last",
            "song");

    private static final int DIGITS = 7;
    private static final int TITLE_LENGTH = 60;
    private static final String ALPHANUMERICS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

    private final RandomValues dice;

    WordGenerator(RandomValues dice) {
        this.dice = dice;
    }

    /** Returns the last name of an author. Each of the {@code items / 10} words occurs at least once. */
    String lastName(int author, int items) {
        int words = Math.max(1, items / 10);
        int number = author <= words ? author : dice.between(1, words);
        StringBuilder name = new StringBuilder(TpcwTexts.digSyl(number, DIGITS));
        if (dice.percent(25)) {
            for (int n = dice.between(1, 6); n > 0; n--) {
                name.append(ALPHANUMERICS.charAt(dice.between(0, ALPHANUMERICS.length() - 1)));
            }
        }
        return name.toString();
    }

    /** Returns the title of an item. Each of the {@code items / 5} words occurs at least once. */
    String title(int item, int items) {
        int words = Math.max(1, items / 5);
        int number = item <= words ? item : dice.between(1, words);
        String word = TpcwTexts.digSyl(number, DIGITS);
        StringBuilder title = new StringBuilder(dice.percent(27) ? word : dice.pick(WORDS));
        boolean there = title.toString().equals(word);
        while (title.length() < TITLE_LENGTH - 2 * DIGITS - 12 || !there) {
            boolean now = !there && (dice.percent(30) || title.length() > TITLE_LENGTH - 2 * DIGITS - 12);
            title.append(' ').append(now ? word : dice.pick(WORDS));
            there |= now;
        }
        return title.substring(0, Math.min(TITLE_LENGTH, title.length()));
    }
}
