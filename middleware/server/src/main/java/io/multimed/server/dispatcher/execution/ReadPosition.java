// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.writeset.Scn;

/**
 * The position in the commit order at which a read-only transaction reads, at the earliest (architecture 4.1).
 *
 * @param includes the published SCN at the beginning of the transaction: its results are those at this SCN, or later
 * @param needed the SCN that a satellite must have applied for this: an earlier one if no later commit, up to {@code
 *     includes}, changes what the transaction reads
 * @param acceptable an earlier SCN that is sufficient if the statement accepts an older state by its hint;
 *     otherwise {@code needed}
 */
record ReadPosition(Scn includes, Scn needed, Scn acceptable) {
    /** Returns the position of a read that runs on a satellite which has applied no more than is acceptable. */
    ReadPosition behind() {
        return new ReadPosition(acceptable, acceptable, acceptable);
    }
}
