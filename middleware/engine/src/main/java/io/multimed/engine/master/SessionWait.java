// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.master;

/**
 * What a session of the master does instead of ending its commit, for which all other commits wait (architecture 4.2).
 *
 * @param what for the operator: the engine's words, and who is waited for
 */
public record SessionWait(Kind kind, String what) {
    /** The causes, by the time for which the other commits wait until the session is stopped. */
    public enum Kind {
        /** The session waits for a lock that a client's transaction holds. */
        LOCK,
        /** Code of users sleeps, or waits for something outside of the engine. */
        SLEEP,
        /** The session computes: code of users, or the engine itself on a busy machine. */
        COMPUTING,
        /** The session waits for a lock of an operator, such as that of a backup; or its answer does not arrive. */
        OPERATOR,
        /**
         * The session waits for the disk, for standbys, or for the engine's own latches: a stop would not help, unless
         * code of users causes these waits.
         */
        ENGINE;

        public boolean isLock() {
            return this == LOCK || this == OPERATOR;
        }
    }
}
