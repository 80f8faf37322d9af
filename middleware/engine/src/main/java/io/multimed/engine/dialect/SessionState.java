package io.multimed.engine.dialect;

import java.util.List;

/**
 * The state that a client has left in an engine's session.
 *
 * @param held kinds of state beyond transactions, for display: settings, temporary tables, locks; empty if another
 *     client may use the session
 * @param zone the time zone that the client has set by SQL, in the engine's notation; empty if it has set none. Any
 *     session can be set to the zone ({@link SqlDialect#setZone}), so that the zone is not in {@code held}
 */
public record SessionState(List<String> held, String zone) {
    public static final SessionState NONE = new SessionState(List.of(), "");
}
