package io.multimed.jdbc.session;

import io.multimed.jdbc.settings.DriverProperty;
import io.multimed.jdbc.settings.SessionTarget;
import io.multimed.protocol.QueryOutcome;
import io.multimed.protocol.Welcome;
import java.sql.SQLException;
import java.util.Properties;

/** A session of the middleware's: a socket, and what it was welcomed with. */
public record MiddlewareSession(MessageSocket wire, Welcome welcome) {
    /**
     * Opens one.
     *
     * @param seconds for connecting, and for each answer of the handshake; 0 for no limit
     */
    public static MiddlewareSession open(SessionTarget target, int seconds) throws SQLException {
        Properties properties = target.properties();
        MessageSocket wire = MessageSocket.connect(
                target.host(), target.port(), seconds, DriverProperty.TCP_KEEP_ALIVE.truth(properties));
        try {
            Handshake handshake = new Handshake(wire, target.user(), DriverProperty.PASSWORD.of(properties));
            Welcome welcome = handshake.run(target.database(), DriverProperty.APPLICATION_NAME.of(properties));
            return new MiddlewareSession(wire, welcome);
        } catch (SQLException | RuntimeException e) {
            wire.close();
            throw e;
        }
    }

    /**
     * The question what became of this session's last request.
     *
     * @param knownScn an SCN that was published before it was sent
     */
    QueryOutcome question(long knownScn) {
        return new QueryOutcome(welcome.sessionId(), welcome.cancelKey(), wire.sequence(), knownScn);
    }

    /** Names the last request for an operator. */
    String receipt() {
        return welcome.sessionId() + " " + wire.sequence();
    }
}
