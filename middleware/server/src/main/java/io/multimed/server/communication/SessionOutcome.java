// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.protocol.response.BatchExecuted;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.Response;
import org.jspecify.annotations.Nullable;

/**
 * Progress of a session that has ended.
 *
 * @param secret cancel key of the session; a query for the outcome must contain it
 * @param sequence sequence number of the last request that was started
 * @param answer response to that request; null if there was none, or if it was too large to keep
 */
record SessionOutcome(long secret, int sequence, @Nullable Response answer) {
    private static final int MAX_BYTES = 4 << 10;
    private static final int MAX_COUNTS = 512;

    /** Returns whether a response reports an outcome, and is small enough to be kept for every session. */
    static boolean canKeep(Response answer) {
        if (answer instanceof Executed executed) {
            return canKeep(executed);
        }
        if (answer instanceof BatchExecuted batch) {
            return batch.counts().length <= MAX_COUNTS && canKeep(batch.keys());
        }
        return answer instanceof Done
                || (answer instanceof ErrorReport report && report.message().length() <= MAX_BYTES);
    }

    private static boolean canKeep(Executed executed) {
        if (executed.outcomes().size() > MAX_COUNTS || !canKeep(executed.keys())) {
            return false;
        }
        for (Outcome outcome : executed.outcomes()) {
            if (outcome instanceof Outcome.Rowset rowset && !canKeep(rowset)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a result is complete: the rest of a result would require the session that has ended. */
    private static boolean canKeep(Outcome.@Nullable Rowset rowset) {
        return rowset == null
                || (rowset.head().cursor() == 0
                        && rowset.first().data().length <= MAX_BYTES
                        && rowset.first().large().isEmpty());
    }
}
