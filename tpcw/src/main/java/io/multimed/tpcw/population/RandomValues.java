package io.multimed.tpcw.population;

import java.util.List;
import java.util.SplittableRandom;

/** TPC-W's random values; the same seed gives the same ones. Used by one thread. */
public final class RandomValues {
    private static final String LETTERS =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!@#$%^&*()_-=+{}[]|:;,.?/~ 0123456789";

    private final SplittableRandom random;

    public RandomValues(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** Uniform, both ends included. */
    public int between(int least, int most) {
        return random.nextInt(least, most + 1);
    }

    public double fraction() {
        return random.nextDouble();
    }

    /** True in {@code percent} of all cases. */
    public boolean percent(double percent) {
        return random.nextDouble() * 100 < percent;
    }

    public <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** a-string: random characters, of random length. */
    public String aString(int least, int most) {
        StringBuilder text = new StringBuilder();
        for (int n = between(least, most); n > 0; n--) {
            text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return text.toString();
    }

    /** n-string: random digits, of random length. */
    public String nString(int least, int most) {
        StringBuilder text = new StringBuilder();
        for (int n = between(least, most); n > 0; n--) {
            text.append((char) ('0' + random.nextInt(10)));
        }
        return text.toString();
    }

    /** NURand(A, x, y) of TPC-W clause 2.1.13. */
    public int nuRand(int a, int x, int y) {
        return (between(0, a) | between(x, y)) % (y - x + 1) + x;
    }

    /** A customer that returns: some return more often. */
    public int customer(int customers) {
        int a = 1_023;
        for (long limit = 10_000; customers >= limit && a < 67_108_863; limit *= 4) {
            a = a * 4 + 3;
        }
        return nuRand(a, 1, customers);
    }

    /** The A of NURand for what people search for. */
    public int searchNumber(int items, int most) {
        int a = 63;
        for (long limit = 1_000; limit < items; limit *= 10) {
            a = a * 8 + 7;
        }
        return nuRand(a, 1, most);
    }

    /** Money: uniform between the two, in cents. */
    public java.math.BigDecimal money(int leastCents, int mostCents) {
        return java.math.BigDecimal.valueOf(between(leastCents, mostCents), 2);
    }
}
