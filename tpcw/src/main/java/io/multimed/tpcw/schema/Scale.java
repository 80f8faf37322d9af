// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.schema;

/**
 * Size of the database (TPC-W clause 4.3).
 *
 * @param items rows of ITEM: 1,000, 10,000, 100,000, ...; fewer, for tests, reduce the customers in proportion
 * @param ebs number of emulated browsers for which the customers are generated
 */
public record Scale(int items, int ebs) {
    private static final int CUSTOMERS_PER_BROWSER = 2_880;
    private static final int MIN_ITEMS = 1_000;

    /** The rows of COUNTRY. */
    public static final int COUNTRIES = 92;

    /**
     * Throws an {@link IllegalArgumentException} for less than 100 items or one browser: below 100 items the search
     * words and related items would not suffice.
     */
    public Scale {
        if (items < 100 || ebs < 1) {
            throw new IllegalArgumentException(
                    "items must be at least 100 and ebs at least 1, not %d and %d".formatted(items, ebs));
        }
    }

    /** Returns the rows of CUSTOMER: 2,880 for each browser. */
    public int customers() {
        int customers = Math.multiplyExact(CUSTOMERS_PER_BROWSER, ebs);
        return items >= MIN_ITEMS ? customers : (int) ((long) customers * items / MIN_ITEMS);
    }

    public int addresses() {
        return 2 * customers();
    }

    /** Returns the rows of ORDERS: 0.9 for each customer. */
    public int orders() {
        return (int) (0.9 * customers());
    }

    /** Returns the rows of AUTHOR: one for four items. */
    public int authors() {
        return Math.max(1, items / 4);
    }
}
