// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.dialect;

import java.util.List;

/**
 * The state that a client has left in an engine's session.
 *
 * @param held kinds of state beyond transactions, for display: settings, temporary tables, locks; empty if another
 *     client may use the session
 * @param zone the time zone that the client has set by SQL, in the engine's notation; empty if it has set none. Not in
 *     {@code held}, because any session can be set to a zone ({@link SqlDialect#setZone})
 * @param readOnly whether code that the client has run has made all transactions of the session read-only
 */
public record SessionState(List<String> held, String zone, boolean readOnly) {
    public static final SessionState NONE = new SessionState(List.of(), "");

    public SessionState(List<String> held, String zone) {
        this(held, zone, false);
    }
}
