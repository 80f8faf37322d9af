package io.multimed.engine.dialect;

import java.util.List;

/**
 * What a client has left in an engine's session.
 *
 * @param held beyond its transactions, in words for people: settings, temporary tables, locks; empty if another client may use the session
 * @param zone the time zone that the client has set by SQL, in the engine's words, where any session can be given it ({@link SqlDialect#setZone}) and it is therefore not held;
 *     empty if it set none, or took it back
 */
public record SessionState(List<String> held, String zone) {
    public static final SessionState NONE = new SessionState(List.of(), "");
}
