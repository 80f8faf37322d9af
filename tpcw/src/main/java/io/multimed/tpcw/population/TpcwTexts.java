// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.population;

import java.util.List;

/** Fixed lists of TPC-W, and the texts that TPC-W computes from numbers. */
public final class TpcwTexts {
    public static final List<String> SUBJECTS = List.of(
            "ARTS",
            "BIOGRAPHIES",
            "BUSINESS",
            "CHILDREN",
            "COMPUTERS",
            "COOKING",
            "HEALTH",
            "HISTORY",
            "HOME",
            "HUMOR",
            "LITERATURE",
            "MYSTERY",
            "NON-FICTION",
            "PARENTING",
            "POLITICS",
            "REFERENCE",
            "RELIGION",
            "ROMANCE",
            "SELF-HELP",
            "SCIENCE-NATURE",
            "SCIENCE-FICTION",
            "SPORTS",
            "YOUTH",
            "TRAVEL");
    public static final List<String> BACKINGS = List.of("HARDBACK", "PAPERBACK", "USED", "AUDIO", "LIMITED-EDITION");
    public static final List<String> SHIP_TYPES = List.of("AIR", "UPS", "FEDEX", "SHIP", "COURIER", "MAIL");
    public static final List<String> STATUSES = List.of("PROCESSING", "SHIPPED", "PENDING", "DENIED");
    public static final List<String> CREDIT_CARDS = List.of("VISA", "MASTERCARD", "DISCOVER", "AMEX", "DINERS");

    private static final String[] SYLLABLES = {"BA", "OG", "AL", "RI", "RE", "SE", "AT", "UL", "IN", "NG"};

    private TpcwTexts() {}

    /**
     * Returns DigSyl(d, n): replaces each digit of {@code number}, padded with zeros to {@code digits} digits, by a
     * syllable. Does not pad if {@code digits} is 0.
     */
    public static String digSyl(long number, int digits) {
        String decimal = Long.toString(number);
        StringBuilder text = new StringBuilder();
        text.append(SYLLABLES[0].repeat(Math.max(0, digits - decimal.length())));
        decimal.chars().forEach(digit -> text.append(SYLLABLES[digit - '0']));
        return text.toString();
    }
}
