// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.population;

import java.util.List;
import java.util.SplittableRandom;

/** Random values of TPC-W. The same seed produces the same values. Used by one thread. */
public final class RandomValues {
    private static final String LETTERS =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!@#$%^&*()_-=+{}[]|:;,.?/~ 0123456789";

    private final SplittableRandom random;

    public RandomValues(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** Returns a uniformly distributed number, both bounds included. */
    public int between(int least, int most) {
        return random.nextInt(least, most + 1);
    }

    /** Returns a uniformly distributed number from 0 (included) to 1 (excluded). */
    public double fraction() {
        return random.nextDouble();
    }

    /** Returns true in {@code percent} of all cases. */
    public boolean percent(double percent) {
        return random.nextDouble() * 100 < percent;
    }

    /** Returns a uniformly selected element. */
    public <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** Returns an a-string: random characters, of random length. */
    public String aString(int least, int most) {
        StringBuilder text = new StringBuilder();
        for (int n = between(least, most); n > 0; n--) {
            text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return text.toString();
    }

    /** Returns an n-string: random digits, of random length. */
    public String nString(int least, int most) {
        StringBuilder text = new StringBuilder();
        for (int n = between(least, most); n > 0; n--) {
            text.append((char) ('0' + random.nextInt(10)));
        }
        return text.toString();
    }

    /** Returns NURand(A, x, y), a non-uniformly distributed number (TPC-W clause 2.1.13). */
    public int nuRand(int a, int x, int y) {
        return (between(0, a) | between(x, y)) % (y - x + 1) + x;
    }

    /**
     * Returns a known customer. Some customers occur more often than others. The value of A grows with the number of
     * customers, as TPC-W prescribes.
     */
    public int customer(int customers) {
        int a = 1_023;
        for (long limit = 10_000; customers >= limit && a < 67_108_863; limit *= 4) {
            a = a * 4 + 3;
        }
        return nuRand(a, 1, customers);
    }

    /** Returns the number of a search word, with the value of A that TPC-W prescribes for the number of items. */
    public int searchNumber(int items, int most) {
        int a = 63;
        for (long limit = 1_000; limit < items; limit *= 10) {
            a = a * 8 + 7;
        }
        return nuRand(a, 1, most);
    }

    /** Returns an amount of money, uniformly distributed between the bounds, which are in cents. */
    public java.math.BigDecimal money(int leastCents, int mostCents) {
        return java.math.BigDecimal.valueOf(between(leastCents, mostCents), 2);
    }
}
