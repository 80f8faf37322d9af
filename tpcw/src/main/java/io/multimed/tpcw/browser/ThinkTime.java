package io.multimed.tpcw.browser;

import io.multimed.tpcw.population.RandomValues;

/** How long a user thinks between two pages. */
public enum ThinkTime {
    /** Not at all, as in the paper (§4.2): each browser asks as fast as it is answered. */
    NONE {
        @Override
        long millis(RandomValues dice) {
            return 0;
        }
    },
    /** TPC-W clause 5.3.2: exponentially distributed with a mean of 7 s, cut at 70 s. */
    TPCW {
        @Override
        long millis(RandomValues dice) {
            return Math.min(70_000, (long) (-7_000 * Math.log(1 - dice.fraction())));
        }
    };

    abstract long millis(RandomValues dice);
}
