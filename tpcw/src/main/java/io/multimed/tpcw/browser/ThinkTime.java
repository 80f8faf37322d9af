// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.browser;

import io.multimed.tpcw.population.RandomValues;

/** Pause of a user between two pages. */
public enum ThinkTime {
    /** No pause, as in the paper (§4.2): each browser sends the next request immediately after a reply. */
    NONE {
        @Override
        long millis(RandomValues dice) {
            return 0;
        }
    },
    /** TPC-W clause 5.3.2: exponentially distributed with a mean of 7 s, and a maximum of 70 s. */
    TPCW {
        @Override
        long millis(RandomValues dice) {
            return Math.min(70_000, (long) (-7_000 * Math.log(1 - dice.fraction())));
        }
    };

    /** Returns a random pause in milliseconds. */
    abstract long millis(RandomValues dice);
}
