// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.interaction.InteractionType;
import io.multimed.tpcw.population.RandomValues;
import java.util.List;
import java.util.Locale;

/** The pages that clients visit: those of a mix, or those of one class of interactions again and again. */
interface Work {
    /** Returns the name in files and plots. */
    String title();

    /**
     * Returns the next page.
     *
     * @param page the last page
     * @param step number of pages that the client has visited
     */
    InteractionType next(InteractionType page, long step, RandomValues dice);

    static Work of(Mix mix) {
        return new OfMix(mix);
    }

    static String title(Mix mix) {
        return mix.name().toLowerCase(Locale.ROOT);
    }

    /** A mix of TPC-W. */
    record OfMix(Mix mix) implements Work {
        @Override
        public String title() {
            return Work.title(mix);
        }

        @Override
        public InteractionType next(InteractionType page, long step, RandomValues dice) {
            return mix.after(page, dice);
        }
    }

    /** Classes of interactions with similar demands. */
    enum Part implements Work {
        PAGES(
                InteractionType.HOME,
                InteractionType.PROD,
                InteractionType.SREQ,
                InteractionType.PROD,
                InteractionType.ORDI,
                InteractionType.ORDD),
        SEARCHES(InteractionType.SRES, InteractionType.NEWP),
        BEST_SELLERS(InteractionType.BESS),
        /** As in the mixes, most updates change a cart; each cart is bought in the end. */
        UPDATES(InteractionType.SHOP, InteractionType.SHOP, InteractionType.BUYR, InteractionType.BUYC);

        @SuppressWarnings("ImmutableEnumChecker") // an immutable list
        private final List<InteractionType> pages;

        Part(InteractionType... pages) {
            this.pages = List.of(pages);
        }

        @Override
        public String title() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }

        @Override
        public InteractionType next(InteractionType page, long step, RandomValues dice) {
            return pages.get((int) (step % pages.size()));
        }
    }
}
