// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One line of a history: the start of a transaction, or its end. The lines are in the order of real time.
 *
 * @param index identifies the line in messages
 * @param process a client; after an unknown outcome the client continues as a new process
 * @param nanos since the recording began; {@link #NO_TIME} if not known
 * @param isolation the level that the history's read-write transactions requested; null if the line does not contain it
 */
public record Operation(
        int index,
        Type type,
        int process,
        long nanos,
        @Nullable Isolation isolation,
        List<Step> steps) {
    /** The time of lines whose order has no meaning. */
    public static final long NO_TIME = -1;

    /** Start or kind of end, with the names of Jepsen. */
    public enum Type {
        INVOKE,
        OK,
        FAIL,
        INFO
    }

    /**
     * One step of a transaction.
     *
     * @param append the value appended, or null for a read
     * @param read the values that a read returned, oldest first; null before they are known, and if there were none
     */
    public record Step(
            int key, @Nullable Integer append, @Nullable List<Integer> read) {
        static Step appends(int key, int value) {
            return new Step(key, value, null);
        }

        static Step reads(int key) {
            return new Step(key, null, null);
        }

        Step saw(Values values) {
            return new Step(key, null, values);
        }

        boolean isAppend() {
            return append != null;
        }

        Values seen() {
            return read == null ? Values.of() : Values.of(read);
        }
    }
}
