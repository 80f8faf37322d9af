package io.multimed.middleware.writeset;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows that one update transaction changed, old and new versions, in the order of change (paper §3.2.2).
 *
 * @param sealed whether a sealed row says that the transaction committed; it may have no changes that satellites need (GRANT)
 * @param changes in order; after those of the spill, if there is one
 * @param spill where the earlier changes are, or null
 * @param bytes the size of the changes' text
 */
public record WriteSet(
        Scn scn,
        boolean sealed,
        List<Change> changes,
        @Nullable Spill spill,
        int bytes) {
    /** The place of a commit that left nothing on the master, or that failed. */
    public static WriteSet hole(Scn scn) {
        return new WriteSet(scn, false, List.of(), null, 0);
    }
}
