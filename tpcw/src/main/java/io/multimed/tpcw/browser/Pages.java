// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.browser;

import io.multimed.tpcw.interaction.InteractionType;
import io.multimed.tpcw.population.RandomValues;

/** Which pages of a mix browsers visit: the paper measures Best Sellers apart from the others (paper figure 1). */
public enum Pages {
    /** All pages. */
    ALL,
    /** All but Best Sellers: a browser continues with a page that follows Best Sellers. */
    WITHOUT_BEST_SELLERS,
    /** Best Sellers only, again and again. */
    BEST_SELLERS_ONLY;

    /** Returns the page on which a browser begins. */
    InteractionType first() {
        return this == BEST_SELLERS_ONLY ? InteractionType.BESS : InteractionType.HOME;
    }

    /** Returns a random page that follows {@code page} in the mix. */
    InteractionType after(InteractionType page, Mix mix, RandomValues dice) {
        if (this == BEST_SELLERS_ONLY) {
            return InteractionType.BESS;
        }
        InteractionType next = mix.after(page, dice);
        while (this == WITHOUT_BEST_SELLERS && next == InteractionType.BESS) {
            next = mix.after(next, dice);
        }
        return next;
    }
}
