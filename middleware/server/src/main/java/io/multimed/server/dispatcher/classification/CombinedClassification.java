// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.classification;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Kind;
import io.multimed.engine.sql.Classification.Review;
import io.multimed.engine.sql.Classification.Trait;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Combines the classifications of single statements to that of their sequence in one transaction on the master. */
final class CombinedClassification {
    private final String what;
    private final Set<Trait> traits = EnumSet.noneOf(Trait.class);
    private Review review = Review.NEVER;
    private final Set<String> settings = new HashSet<>();

    /** The settings that code may change which the statements have defined. */
    private final Set<String> defined = new HashSet<>();

    private boolean leavesState;
    private boolean empty = true;
    private boolean mayHaveChanged;
    private @Nullable Classification refusal;

    /** The message for the case that no transaction is open, of the first statement that has one. */
    private String otherwise = "";

    /** @param what describes the sequence, such as {@code several statements in one text} */
    CombinedClassification(String what) {
        this.what = what;
    }

    /**
     * Adds the next statement.
     *
     * @param word the first word of the statement, for messages
     */
    void add(Classification one, String word) {
        if (refusal != null) {
            return;
        }
        if (one.kind() == Kind.REFUSED) {
            refusal = one;
        } else if (isAlone(one)) {
            refusal = Classification.refused(
                    "%s among %s is not supported through Multimed: send it as a separate statement"
                            .formatted(word, what));
        } else if (one.has(Trait.FORBIDS_CHANGES) && mayHaveChanged) {
            refusal = Classification.refused(
                    "%s that makes a transaction read-only after changes among %s is not supported through Multimed: leave it out"
                            .formatted(word, what));
        }
        mayHaveChanged |= !one.changesNothing() && !one.has(Trait.PRECEDES_QUERIES) && !one.has(Trait.EMPTY);
        boolean belongs = one.has(Trait.NEEDS_TRANSACTION) || one.has(Trait.WARNS_OUTSIDE_TRANSACTIONS);
        if (belongs && otherwise.isEmpty()) {
            otherwise = one.refusal();
        }
        if (traits.contains(Trait.MAY_CHANGE_SCHEMA) && !one.has(Trait.MAY_CHANGE_SCHEMA) && !one.has(Trait.EMPTY)) {
            settings.addAll(one.settingsAfter(defined));
            review = Review.ALWAYS;
        }
        traits.addAll(one.traits());
        empty &= one.has(Trait.EMPTY);
        review = one.review().compareTo(review) > 0 ? one.review() : review;
        leavesState |= one.kind() == Kind.SESSION_STATE;
        (one.review() == Review.NEVER ? defined : settings).addAll(one.settings());
    }

    private static boolean isAlone(Classification one) {
        return one.kind().isDispatchers()
                || one.kind() == Kind.NON_TRANSACTIONAL
                || one.has(Trait.PREPARES)
                || one.has(Trait.RESETS_SETTINGS);
    }

    Classification classification() {
        if (refusal != null) {
            return refusal;
        }
        if (traits.contains(Trait.DEFAULT_QUOTING) && traits.contains(Trait.MAY_SET)) {
            return Classification.refused(
                    "a string with a backslash before a quote, among %s that may change the syntax of strings, is not supported through Multimed: send it as a separate statement, or use a parameter"
                            .formatted(what));
        }
        // what these traits exclude may be in another statement of the text
        traits.removeAll(EnumSet.of(Trait.SHAREABLE, Trait.LOCKS_ROWS));
        if (!empty) {
            traits.remove(Trait.EMPTY);
        }
        if (review == Review.NEVER) {
            settings.addAll(defined);
        }
        Classification whole = leavesState
                ? Classification.sessionState(settings)
                : Classification.of(Kind.MASTER, review).because(what).withSettings(settings);
        for (Trait trait : traits) {
            whole = whole.with(trait);
        }
        return whole.outsideTransactions(otherwise);
    }
}
