// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.server.dispatcher.session.PinnedResource;
import java.time.Duration;

/**
 * Time limits for clients that send no request while they hold resources that other clients need. Zero means no limit.
 *
 * @param inTransaction limit while a transaction is open
 * @param pinned limit while the client holds a connection of the master for its session state
 */
public record IdleTimeouts(Duration inTransaction, Duration pinned) {
    boolean areSet() {
        return !inTransaction.isZero() || !pinned.isZero();
    }

    /** Returns the limit for a held resource; zero if there is none. */
    Duration of(PinnedResource held) {
        return switch (held) {
            case NOTHING -> Duration.ZERO;
            case SESSION_STATE -> pinned;
            case TRANSACTION -> inTransaction;
        };
    }

    /** Returns the SQLState that an engine reports for a session that the engine itself has ended for this reason. */
    static String sqlState(PinnedResource held) {
        return held == PinnedResource.TRANSACTION ? "25P03" : "57P05";
    }

    String reason(PinnedResource held) {
        String seconds = "%.1f s".formatted(of(held).toMillis() / 1e3);
        return held == PinnedResource.TRANSACTION
                ? "the transaction was rolled back: its client sent nothing for " + seconds
                        + " (listen.idle-in-transaction)"
                : "the session was ended: its client sent nothing for " + seconds
                        + " while it kept a connection of the master's for its settings, temporary tables or locks (listen.idle-pinned)";
    }
}
