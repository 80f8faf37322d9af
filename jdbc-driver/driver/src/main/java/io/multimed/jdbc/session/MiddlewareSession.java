package io.multimed.jdbc.session;

import io.multimed.jdbc.settings.DriverProperty;
import io.multimed.jdbc.settings.SessionTarget;
import io.multimed.protocol.request.QueryOutcome;
import io.multimed.protocol.response.Welcome;
import java.sql.SQLException;
import java.util.Properties;

/** Holds a session of the middleware: the socket, and the middleware's welcome. */
public record MiddlewareSession(MessageSocket socket, Welcome welcome) {
    /**
     * Opens a session.
     *
     * @param seconds limit for connecting, and for each response of the handshake; 0 for no limit
     * @throws SQLException 08001 if the middleware cannot be reached; 28xxx if it refuses the user
     */
    public static MiddlewareSession open(SessionTarget target, int seconds) throws SQLException {
        Properties properties = target.properties();
        MessageSocket socket = MessageSocket.connect(
                target.host(), target.port(), seconds, DriverProperty.TCP_KEEP_ALIVE.booleanValue(properties));
        try {
            Handshake handshake = new Handshake(socket, target.user(), DriverProperty.PASSWORD.value(properties));
            Welcome welcome = handshake.run(target.database(), DriverProperty.APPLICATION_NAME.value(properties));
            return new MiddlewareSession(socket, welcome);
        } catch (SQLException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Returns the request that asks, over another session, for the outcome of this session's last request.
     *
     * @param knownScn an SCN that was published before that request was sent
     */
    QueryOutcome outcomeRequest(long knownScn) {
        return new QueryOutcome(welcome.sessionId(), welcome.cancelKey(), socket.sequence(), knownScn);
    }

    /** Returns the identifier of the last request, by which an operator can ask for its outcome. */
    String receipt() {
        return welcome.sessionId() + " " + socket.sequence();
    }
}
