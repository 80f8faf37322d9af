// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Names one request of a statement, so that other threads can cancel this request and no other. States: waiting
 * while its parameters are sent - {@link #sends} - sent - {@link #ended}. A request that is canceled while it waits is
 * canceled when its turn comes.
 */
public final class RunningRequest {
    private final SessionChannel channel;

    /** The session that handles the request; null until it is sent, and afterwards. Protected by this. */
    private @Nullable MiddlewareSession session;

    private int sequence;
    private boolean canceled;
    private boolean over;

    public RunningRequest(SessionChannel channel) {
        this.channel = channel;
    }

    /**
     * Cancels the request; has no effect if the request has ended. Returns before the request has ended.
     *
     * @throws SQLException 08006 if the middleware cannot be reached
     */
    public void cancel() throws SQLException {
        MiddlewareSession of;
        int number;
        synchronized (this) {
            canceled = !over;
            of = session;
            number = sequence;
        }
        if (of != null) {
            channel.cancel(of, number);
        }
    }

    /**
     * Records that the request is about to be sent. If it was canceled, the middleware hears of that first.
     *
     * @param number of the request in its session
     */
    void sends(MiddlewareSession by, int number) throws SQLException {
        boolean before;
        synchronized (this) {
            session = by;
            sequence = number;
            before = canceled;
        }
        if (before) {
            channel.cancel(by, number);
        }
    }

    /** Records that the request is answered, or is not sent. */
    public synchronized void ended() {
        session = null;
        over = true;
    }
}
