package io.multimed.server.communication;

import io.multimed.server.dispatcher.session.PinnedResource;
import java.time.Duration;

/**
 * How long a client may send nothing while it keeps something from others; zero for as long as it likes.
 *
 * @param inTransaction with a transaction open
 * @param pinned with state in an engine's session
 */
public record IdleTimeouts(Duration inTransaction, Duration pinned) {
    boolean areSet() {
        return !inTransaction.isZero() || !pinned.isZero();
    }

    /** Zero if there is none. */
    Duration of(PinnedResource held) {
        return switch (held) {
            case NOTHING -> Duration.ZERO;
            case SESSION_STATE -> pinned;
            case TRANSACTION -> inTransaction;
        };
    }

    /** As an engine says it of sessions that it ends by itself. */
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
