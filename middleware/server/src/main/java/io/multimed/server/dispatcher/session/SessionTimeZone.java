package io.multimed.server.dispatcher.session;

import io.multimed.engine.dialect.SqlDialect;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The time zone of one client's SQL: that of its Java machine when it connected, as with the engine's own driver, until it sets another one by SQL. Engine connections are
 * shared by clients of all zones, so each is given the client's before a transaction begins on it. Used by one thread at a time.
 */
public final class SessionTimeZone {
    private final SqlDialect dialect;
    private final String own;
    private String present;

    /** @param zone of java.util.TimeZone, from the client; empty if it did not tell any */
    public SessionTimeZone(SqlDialect dialect, String zone) {
        this.dialect = dialect;
        this.own = zone.isEmpty() ? "" : dialect.zone(zone);
        this.present = own;
    }

    /** Costs a round trip only if the connection had another zone last. */
    public void giveTo(Connection connection) throws SQLException {
        if (!present.isEmpty()) {
            dialect.setZone(connection, present);
        }
    }

    /** The client has set it; empty if it has not, or has taken it back. */
    public void set(String zone) {
        present = zone.isEmpty() ? own : zone;
    }
}
