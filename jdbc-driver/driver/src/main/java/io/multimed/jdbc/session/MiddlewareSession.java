// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.jdbc.settings.DriverProperty;
import io.multimed.jdbc.settings.SessionTarget;
import io.multimed.jdbc.settings.SslMode;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.request.QueryOutcome;
import io.multimed.protocol.response.Welcome;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Holds a session of the middleware.
 *
 * @param welcome the middleware's welcome
 * @param tls encrypts the connection; null if the connection does not use TLS
 */
public record MiddlewareSession(
        Transport transport, Welcome welcome, @Nullable ClientTls tls) {
    /**
     * Opens a session.
     *
     * @param seconds limit for connecting, and for each response of the handshake; 0 for no limit
     * @throws SQLException 08001 if the middleware cannot be reached; 28xxx if it refuses the user, or if the password
     * would be sent to a server that need not be the middleware
     */
    public static MiddlewareSession open(SessionTarget target, int seconds) throws SQLException {
        if (target.isEmbedded()) {
            return open(target, seconds, null);
        }
        SslMode mode = SslMode.of(target.properties());
        if (DriverProperty.sendsPassword(target.properties()) && !mode.provesPeer(target.properties())) {
            throw unproved();
        }
        return switch (mode) {
            case DISABLE -> open(target, seconds, null);
            case PREFER -> preferTls(target, seconds);
            case REQUIRE, VERIFY_CA, VERIFY_FULL -> open(target, seconds, ClientTls.of(target.properties()));
        };
    }

    /**
     * Opens a session with TLS, or without TLS if the middleware does not use TLS. On the same machine, where no
     * network can be read, the order is the reverse, because TLS costs time.
     */
    private static MiddlewareSession preferTls(SessionTarget target, int seconds) throws SQLException {
        if (isLoopback(target.host())) {
            try {
                return open(target, seconds, null);
            } catch (SQLException e) {
                if (!SqlStates.TLS_REQUIRED.equals(e.getSQLState())) {
                    throw e;
                }
                return open(target, seconds, ClientTls.of(target.properties()));
            }
        }
        try {
            return open(target, seconds, ClientTls.of(target.properties()));
        } catch (ClientTls.TlsRefusedException e) {
            return open(target, seconds, null);
        }
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false; // the connection reports it
        }
    }

    private static MiddlewareSession open(SessionTarget target, int seconds, @Nullable ClientTls tls)
            throws SQLException {
        Properties properties = target.properties();
        Transport transport = connect(target, seconds, tls);
        try {
            Handshake handshake = new Handshake(
                    transport,
                    target.user(),
                    DriverProperty.PASSWORD.value(properties),
                    DriverProperty.sendsPassword(properties));
            Welcome welcome = handshake.logIn(target.database(), DriverProperty.APPLICATION_NAME.value(properties));
            return new MiddlewareSession(transport, welcome, tls);
        } catch (SQLException | RuntimeException e) {
            transport.close();
            throw e;
        }
    }

    /** On the same machine, too: another account may listen on the port while the middleware does not run. */
    private static SQLException unproved() {
        return new SQLInvalidAuthorizationSpecException(
                "requireAuth=password sends the password itself, and only to a middleware that proves its identity: set sslMode=verify-full and sslRootCert",
                SqlStates.INVALID_AUTHORIZATION);
    }

    private static Transport connect(SessionTarget target, int seconds, @Nullable ClientTls tls) throws SQLException {
        return target.isEmbedded()
                ? TransportProvider.find().connect(target.model())
                : SocketTransport.connect(target, seconds, tls);
    }

    /** Returns a further connection to the middleware, encrypted like that of this session, without a session. */
    Transport connectAgain(SessionTarget target, int seconds) throws SQLException {
        return connect(target, seconds, tls);
    }

    /**
     * Returns the request that asks, over another session, for the outcome of this session's last request.
     *
     * @param knownScn an SCN that was published before that request was sent
     */
    QueryOutcome outcomeRequest(long knownScn) {
        return new QueryOutcome(welcome.sessionId(), welcome.cancelKey(), transport.sequence(), knownScn);
    }

    /** Returns the identifier of the last request, by which an operator can ask for its outcome. */
    String receipt() {
        return welcome.sessionId() + " " + transport.sequence();
    }
}
