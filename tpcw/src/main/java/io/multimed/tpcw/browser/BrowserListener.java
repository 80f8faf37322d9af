// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.browser;

import io.multimed.tpcw.interaction.InteractionType;
import java.sql.SQLException;

/** Receives the events of a browser, on the thread of the browser. */
public interface BrowserListener {
    /**
     * Called after a successful interaction.
     *
     * @param nanos response time in nanoseconds, including retries
     */
    void completed(InteractionType type, long nanos);

    /**
     * Called when the engine has rolled a transaction back because of concurrent transactions; the browser tries the
     * interaction again.
     */
    void retried(InteractionType type);

    /** Called after a failed interaction. */
    void failed(InteractionType type, SQLException cause);
}
