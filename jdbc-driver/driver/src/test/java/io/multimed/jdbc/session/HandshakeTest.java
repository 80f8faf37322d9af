// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import static io.multimed.jdbc.ScriptedMiddleware.IDLE;
import static io.multimed.jdbc.ScriptedMiddleware.error;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.jdbc.ScriptedMiddleware;
import io.multimed.protocol.Scram;
import io.multimed.protocol.request.ClearPassword;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.request.Proof;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.response.Challenge;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.tls.ChannelBinding;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a connection is opened, and refused. */
@Timeout(20)
class HandshakeTest {
    private static final byte[] SALT = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

    private ScriptedMiddleware middleware;
    private int iterations = Scram.ITERATIONS;
    private final AtomicReference<Hello> hello = new AtomicReference<>();

    @BeforeEach
    void start() throws Exception {
        middleware = new ScriptedMiddleware(ScriptedMiddleware.POSTGRESQL);
    }

    @AfterEach
    void close() throws Exception {
        middleware.close();
    }

    /** Asks for a password, and knows one. */
    private ScriptedMiddleware.Script knowing(String password, boolean ownNonce) {
        AtomicReference<Challenge> challenge = new AtomicReference<>();
        return request -> answer(request, challenge, password, ownNonce);
    }

    private @Nullable Response answer(
            Request request, AtomicReference<Challenge> challenge, String password, boolean ownNonce) {
        if (request instanceof Hello first) {
            hello.set(first);
            byte[] nonce = Arrays.copyOf(ownNonce ? first.nonce() : new byte[18], 36);
            challenge.set(new Challenge(SALT, iterations, nonce));
            return challenge.get();
        } else if (request instanceof Proof proof) {
            Scram.Verifier verifier = Scram.verifier(password.toCharArray(), SALT, iterations);
            byte[] exchange = Scram.exchange(hello.get().user(), challenge.get(), ChannelBinding.none());
            boolean proved = Scram.proves(proof, verifier, exchange) || password.equals("anything");
            return proved
                    ? middleware.welcome(Scram.serverSignature(verifier, exchange))
                    : error(IDLE, "28P01", "password authentication failed for user \"me\"");
        }
        return null;
    }

    private static String state(Throwable thrown) {
        return ((SQLException) thrown).getSQLState();
    }

    @Test
    void shouldIntroduceTheClientWithItsDatabaseUserNameAndZone() throws SQLException {
        middleware.answering(request -> {
            if (request instanceof Hello first) {
                hello.set(first);
            }
            return null;
        });
        middleware.connect("user=me&ApplicationName=shop%20front").close();
        assertThat(hello.get().database()).isEqualTo("shop");
        assertThat(hello.get().user()).isEqualTo("me");
        assertThat(hello.get().client()).isEqualTo("shop front");
        assertThat(hello.get().zone()).isEqualTo(TimeZone.getDefault().getID());
    }

    @Test
    void shouldProveThePasswordWithoutSendingIt() throws SQLException {
        middleware.answering(knowing("s3cret", true));
        try (Connection connection = middleware.connect("user=me&password=s3cret")) {
            assertThat(connection.isValid(1)).isTrue();
        }
        assertThat(middleware.requests(Proof.class)).hasSize(1);
        assertThat(new String(
                        middleware.requests(Proof.class).get(0).clientProof(),
                        java.nio.charset.StandardCharsets.ISO_8859_1))
                .doesNotContain("s3cret");
    }

    @Test
    void shouldReportAWrongPassword() {
        middleware.answering(knowing("other", true));
        assertThatThrownBy(() -> middleware.connect("user=me&password=s3cret"))
                .isInstanceOf(java.sql.SQLInvalidAuthorizationSpecException.class)
                .hasMessageContaining("password authentication failed")
                .extracting(HandshakeTest::state)
                .isEqualTo("28P01");
    }

    @Test
    void shouldReportAMissingPassword() {
        middleware.answering(knowing("s3cret", true));
        assertThatThrownBy(() -> middleware.connect("user=me"))
                .hasMessageContaining("asks user \"me\" for a password")
                .extracting(HandshakeTest::state)
                .isEqualTo("28P01");
    }

    @Test
    void shouldRefuseAServerThatDoesNotKnowThePassword() {
        middleware.answering(knowing("anything", true));
        assertThatThrownBy(() -> middleware.connect("user=me&password=s3cret"))
                .as("a server that accepts every proof, but cannot sign with the password")
                .hasMessageContaining("it is not the middleware")
                .extracting(HandshakeTest::state)
                .isEqualTo("08P01");
    }

    @Test
    void shouldRefuseTheAnswerToAnotherHandshake() {
        middleware.answering(knowing("s3cret", false));
        assertThatThrownBy(() -> middleware.connect("user=me&password=s3cret"))
                .hasMessageContaining("another client's handshake")
                .extracting(HandshakeTest::state)
                .isEqualTo("08P01");
        assertThat(middleware.requests(Proof.class)).as("proofs that were sent").isEmpty();
    }

    @Test
    void shouldRefuseAServerOfAnotherProtocol() {
        middleware.answering(request -> new Done(SessionStatus.NONE));
        assertThatThrownBy(middleware::connect)
                .hasMessageContaining("did not answer the handshake")
                .extracting(HandshakeTest::state)
                .isEqualTo("08P01");
    }

    @Test
    void shouldGiveUpIfTheHandshakeIsNotAnsweredInTime() {
        middleware.answering(request -> ScriptedMiddleware.SILENCE);
        assertThatThrownBy(() -> middleware.connect("connectTimeout=1"))
                .hasMessageContaining("gave no answer in time")
                .extracting(HandshakeTest::state)
                .isEqualTo("08006");
    }

    @Test
    void shouldNameHostAndPortIfNothingListensThere() throws Exception {
        middleware.stopListening();
        assertThatThrownBy(middleware::connect)
                .hasMessageContaining(
                        "cannot connect to Multimed at " + middleware.url().replaceAll(".*//|/shop", ""))
                .hasMessageContaining("check that the middleware is running there")
                .extracting(HandshakeTest::state)
                .isEqualTo("08001");
    }

    @Test
    void shouldRefuseAnEngineThatTheUrlDoesNotName() {
        String url = middleware.url().replace("multimed:", "multimed:mysql:");
        assertThatThrownBy(() -> java.sql.DriverManager.getConnection(url))
                .hasMessageContaining("the URL names the engine mysql, but the engine is PostgreSQL")
                .extracting(HandshakeTest::state)
                .isEqualTo("08001");
    }

    @Test
    void shouldReportAWrongPropertyAsAnSqlException() {
        assertThatThrownBy(() -> middleware.connect("socketTimeout=5s"))
                .isInstanceOf(SQLException.class)
                .hasMessage("property socketTimeout: \"5s\" is not a number")
                .extracting(HandshakeTest::state)
                .isEqualTo("08001");
    }

    /** A server that is not verified may belong to an attacker, also on this machine. */
    @Test
    void shouldNotConnectWithAPasswordToAServerThatNeedNotProveItsIdentity() {
        middleware.answering(knowing("s3cret", true));
        for (String mode : new String[] {"", "&sslMode=disable", "&sslMode=require", "&sslMode=verify-ca"}) {
            assertThatThrownBy(() -> middleware.connect("user=me&password=s3cret&requireAuth=password" + mode))
                    .as(mode)
                    .hasMessageContaining("set sslMode=verify-full and sslRootCert")
                    .extracting(HandshakeTest::state)
                    .isEqualTo("28000");
        }
        assertThat(hello.get()).as("a hello that was sent").isNull();
        assertThatThrownBy(() -> middleware.connect("user=me&password=s3cret&requireAuth=md5"))
                .hasMessage("property requireAuth: \"md5\" is neither scram-sha-256 nor password");
    }

    /** As libpq's property of this name: what a server asks for does not matter. */
    @Test
    void shouldSendAProofUnlessThePasswordIsRequired() throws SQLException {
        middleware.answering(knowing("s3cret", true));
        for (String required : new String[] {"scram-sha-256", "!password", "!none"}) {
            middleware
                    .connect("user=me&password=s3cret&requireAuth=" + required)
                    .close();
        }
        assertThat(middleware.requests(Proof.class)).hasSize(3);
        assertThat(middleware.requests(ClearPassword.class)).isEmpty();
    }

    /** Few iterations would let the server guess the password; many would keep the client busy. */
    @Test
    void shouldRefuseTooFewAndTooManyIterations() {
        middleware.answering(knowing("secret", true));
        for (int wrong : new int[] {1, Scram.ITERATIONS - 1, Scram.MAX_ITERATIONS + 1, Integer.MAX_VALUE}) {
            iterations = wrong;
            assertThatThrownBy(() -> middleware.connect("user=me&password=secret"))
                    .hasMessageContaining("asks for " + wrong + " iterations")
                    .extracting(HandshakeTest::state)
                    .isEqualTo("08P01");
        }
    }
}
