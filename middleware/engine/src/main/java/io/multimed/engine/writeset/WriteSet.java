// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.writeset;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rows that one update transaction changed, old and new versions, in the order of change (paper §3.2.2).
 *
 * @param changes in order; empty if satellites do not need the changes (GRANT). They follow those of the spill, if
 *     there is one
 * @param spill the place of the earlier changes on the master; null if there are none
 * @param bytes size of the text of {@code changes}
 */
public record WriteSet(
        Scn scn, List<Change> changes, @Nullable Spill spill, int bytes) {
    /** Returns whether the changes may include a statement or the new form of a table, or cannot be read. */
    public boolean mayChangeSchema() {
        return (spill != null && spill.mayChangeSchema())
                || changes.stream()
                        .anyMatch(change -> change instanceof Change.StatementChange
                                || change instanceof Change.FormChange
                                || change instanceof Change.Unreadable);
    }

    /**
     * Returns a WriteSet whose changes are in the engine's log only, and whose position there, its SCN, is not known
     * yet.
     */
    public static WriteSet inLog(boolean mayChangeSchema) {
        return new WriteSet(Scn.ZERO, List.of(), Spill.inLog(mayChangeSchema), 0);
    }

    /** Returns whether pieces of the WriteSet are on the master, because the WriteSet is large. */
    public boolean isLarge() {
        return spill != null && spill.pieces() > 0;
    }

    /** Returns the same WriteSet under an SCN. */
    public WriteSet at(Scn position) {
        return new WriteSet(position, changes, spill, bytes);
    }

    /** Returns a WriteSet that is committed, but whose changes cannot be determined. */
    public static WriteSet unreadable(Scn scn, String why) {
        return new WriteSet(scn, List.of(new Change.Unreadable(why)), null, 0);
    }

    /** Returns the reason why the WriteSet cannot be applied; empty if it can. */
    public Optional<String> trouble() {
        return changes.size() == 1 && changes.get(0) instanceof Change.Unreadable unreadable
                ? Optional.of("the WriteSet %s cannot be read: %s".formatted(scn, unreadable.why()))
                : Optional.empty();
    }
}
