// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.session;

import io.multimed.engine.dialect.SqlDialect;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The time zone of one client's SQL.
 *
 * <p>As with the engine's own driver, the initial zone is that of the client's Java machine; SQL can set another one.
 * Clients with different zones share the engine's connections, so a connection receives the client's zone before a
 * transaction begins. Used by one thread at a time.
 */
public final class SessionTimeZone {
    private final SqlDialect dialect;
    private final String own;
    private String present;

    /** @param zone of java.util.TimeZone, as the client sent it; empty if the client sent none */
    public SessionTimeZone(SqlDialect dialect, String zone) {
        this.dialect = dialect;
        this.own = zone.isEmpty() ? "" : dialect.sessions().zone(zone);
        this.present = own;
    }

    /** Sets the zone on the connection. Costs a round trip only if the connection had another zone. */
    public void applyTo(Connection connection) throws SQLException {
        if (!present.isEmpty()) {
            dialect.sessions().setZone(connection, present);
        }
    }

    /** Returns the zone as the engine names it; empty for the engine's default. */
    public String present() {
        return present;
    }

    /** Records that SQL has set the zone; an empty zone restores the initial one. */
    public void set(String zone) {
        present = zone.isEmpty() ? own : zone;
    }
}
