package io.multimed.jdbc.session;

import io.multimed.jdbc.support.SqlErrors;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.Challenge;
import io.multimed.protocol.Hello;
import io.multimed.protocol.Proof;
import io.multimed.protocol.Response;
import io.multimed.protocol.Scram;
import io.multimed.protocol.Welcome;
import io.multimed.protocol.wire.Protocol;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.TimeZone;

/** Introduces a client: hello, a password if one is asked for, welcome. */
final class Handshake {
    private static final int NONCE_BYTES = 18;

    private final MessageSocket wire;
    private final String user;
    private final char[] password;
    private final byte[] nonce = new byte[NONCE_BYTES];

    Handshake(MessageSocket wire, String user, String password) {
        this.wire = wire;
        this.user = user;
        this.password = password.toCharArray();
        new SecureRandom().nextBytes(nonce);
    }

    Welcome run(String database, String application) throws SQLException {
        try {
            Response answer = wire.call(new Hello(
                    Protocol.VERSION,
                    database,
                    user,
                    application,
                    nonce,
                    TimeZone.getDefault().getID()));
            if (answer instanceof Challenge challenge) {
                return prove(challenge);
            }
            return welcome(answer);
        } catch (MessageSocket.ReportedException e) {
            throw SqlErrors.of(e.report());
        } finally {
            Arrays.fill(password, ' ');
        }
    }

    private Welcome prove(Challenge challenge) throws SQLException {
        if (password.length == 0) {
            throw new SQLException(
                    "the middleware asks user \"%s\" for a password, and none is given (property password)"
                            .formatted(user),
                    SqlStates.PASSWORD_MISSING);
        }
        if (!Arrays.equals(nonce, Arrays.copyOf(challenge.nonce(), nonce.length))) {
            throw new SQLException("the middleware answered somebody else's handshake", SqlStates.PROTOCOL);
        }
        byte[] exchange = Scram.exchange(user, challenge);
        Welcome welcome = welcome(wire.call(new Proof(Scram.clientProof(password, challenge, exchange))));
        if (!MessageDigest.isEqual(welcome.serverSignature(), Scram.expectedSignature(password, challenge, exchange))) {
            throw new SQLException(
                    "the other side does not know the password: it is not the middleware", SqlStates.PROTOCOL);
        }
        return welcome;
    }

    private static Welcome welcome(Response answer) throws SQLException {
        if (answer instanceof Welcome welcome) {
            return welcome;
        }
        throw new SQLException("the middleware gave no welcome", SqlStates.PROTOCOL);
    }
}
