// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.jdbc.support.SqlErrors;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.Scram;
import io.multimed.protocol.request.ClearPassword;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.request.Proof;
import io.multimed.protocol.response.Challenge;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.response.Welcome;
import io.multimed.protocol.wire.Protocol;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.TimeZone;

/**
 * Introduces a client to the middleware: the client's hello, the middleware's challenge if the user has a password, the
 * client's proof, and the middleware's welcome. The password does not leave the client (SCRAM-SHA-256), unless the
 * application says that the user is a role of the master: then the password itself takes the place of the proof.
 */
final class Handshake {
    private static final int NONCE_BYTES = 18;

    private final Transport transport;
    private final String user;
    private final char[] password;
    private final boolean sendsPassword;
    private final byte[] nonce = new byte[NONCE_BYTES];

    /** @param sendsPassword whether the middleware, which has proved its identity, receives the password itself */
    Handshake(Transport transport, String user, String password, boolean sendsPassword) {
        this.transport = transport;
        this.user = user;
        this.password = password.toCharArray();
        this.sendsPassword = sendsPassword;
        new SecureRandom().nextBytes(nonce);
    }

    /**
     * Runs the handshake, and then erases the password.
     *
     * @throws SQLException 28xxx if the middleware refuses the user; 08P01 if the other side is not the middleware
     */
    Welcome logIn(String database, String application) throws SQLException {
        try {
            Response answer = transport.call(new Hello(
                    Protocol.VERSION,
                    database,
                    user,
                    application,
                    nonce,
                    TimeZone.getDefault().getID()));
            if (answer instanceof Challenge challenge) {
                checkIsGiven();
                return sendsPassword ? send() : prove(challenge);
            }
            checkMayBeSkipped();
            return welcome(answer);
        } catch (ErrorReportException e) {
            throw SqlErrors.of(e.report());
        } finally {
            Arrays.fill(password, ' ');
        }
    }

    /**
     * Refuses a server that does not ask for the password that the client has. A middleware without users listens on
     * its own machine only.
     */
    private void checkMayBeSkipped() throws SQLException {
        if (sendsPassword || (password.length > 0 && !transport.isLocal())) {
            throw new SQLException(
                    "the server does not ask for the password of user \"%s\", so that it may not be the middleware: check host and port of the URL; a middleware without listen.users listens on loopback only"
                            .formatted(user),
                    SqlStates.PROTOCOL_VIOLATION);
        }
    }

    private void checkIsGiven() throws SQLException {
        if (password.length == 0) {
            throw new SQLException(
                    "the middleware asks user \"%s\" for a password, and none is given (property password)"
                            .formatted(user),
                    SqlStates.INVALID_PASSWORD);
        }
    }

    /** Lets the middleware check the password with the master. */
    private Welcome send() throws SQLException {
        if (!transport.isEncrypted()) {
            throw new IllegalStateException("a password would be sent without encryption");
        }
        return welcome(transport.call(ClearPassword.of(password)));
    }

    /** Proves that the client knows the password, and checks that the middleware knows its hash. */
    private Welcome prove(Challenge challenge) throws SQLException {
        if (!Arrays.equals(nonce, Arrays.copyOf(challenge.nonce(), nonce.length))) {
            throw new SQLException(
                    "the middleware answered another client's handshake: connect again, and check what lies between client and middleware",
                    SqlStates.PROTOCOL_VIOLATION);
        }
        if (challenge.iterations() < Scram.ITERATIONS || challenge.iterations() > Scram.MAX_ITERATIONS) {
            throw new SQLException(
                    "the server asks for %d iterations of the password's hash, which is not from %d to %d: it may not be the middleware; check host and port of the URL"
                            .formatted(challenge.iterations(), Scram.ITERATIONS, Scram.MAX_ITERATIONS),
                    SqlStates.PROTOCOL_VIOLATION);
        }
        byte[] exchange = Scram.exchange(user, challenge, transport.channelBinding());
        byte[] salted = Scram.salted(password, challenge);
        Welcome welcome = welcome(transport.call(new Proof(Scram.clientProof(salted, exchange))));
        if (!MessageDigest.isEqual(welcome.serverSignature(), Scram.expectedSignature(salted, exchange))) {
            throw new SQLException(
                    "the server does not know the user's password, so that it is not the middleware: check host and port of the URL",
                    SqlStates.PROTOCOL_VIOLATION);
        }
        return welcome;
    }

    private static Welcome welcome(Response answer) throws SQLException {
        if (answer instanceof Welcome welcome) {
            return welcome;
        }
        throw new SQLException(
                "the middleware did not answer the handshake: check that host and port are those of the middleware, and that driver and middleware have the same version",
                SqlStates.PROTOCOL_VIOLATION);
    }
}
