// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import java.sql.SQLException;
import java.util.function.BooleanSupplier;

/** Begins waits of one session's requests that a cancel ends. Used by one thread at a time. */
public final class CancellableWaits {
    private final Cancellation cancellation;

    public CancellableWaits(Cancellation cancellation) {
        this.cancellation = cancellation;
    }

    /**
     * Begins a wait.
     *
     * @param start begins the wait; the request may go on, and even end, before this returns
     * @param withdraw ends the wait and returns true, unless the wait has ended; then it returns false, now and later
     * @param canceled answers the client
     */
    public void begin(Runnable start, BooleanSupplier withdraw, Runnable canceled) {
        Runnable end = () -> {
            if (withdraw.getAsBoolean()) {
                canceled.run();
            }
        };
        try {
            cancellation.beginUnlessCanceled(end::run);
        } catch (SQLException e) {
            canceled.run();
            return;
        }
        start.run();
        if (cancellation.wasRequested()) {
            end.run(); // the cancel came before it could end the wait
        }
    }
}
