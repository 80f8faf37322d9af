// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.model.listen.Listen;
import io.multimed.model.listen.UserLimits;
import io.multimed.model.value.Secret;
import io.multimed.protocol.Scram;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.request.Proof;
import io.multimed.protocol.response.Challenge;
import io.multimed.protocol.wire.Protocol;
import io.multimed.server.audit.AuditLog;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The server accepts a proof only from a client that knows the password, and reveals nothing about unknown users. */
class ScramExchangeTest {
    private static final char[] PASSWORD = "correct horse".toCharArray();
    private static final byte[] BINDING = {1, 2, 3, 4};

    private final Users users;

    ScramExchangeTest() throws IOException {
        users = new Users(
                new Users.Definition(
                        List.of(new Listen.User("ann", new Secret(new String(PASSWORD)), false, null, UserLimits.NONE)),
                        UserLimits.NONE,
                        null,
                        false),
                false,
                AuditLog.open(null));
    }

    private ScramExchange begin(String user) {
        return ScramExchange.begin(
                users, new Hello(Protocol.VERSION, "shop", user, "test", new byte[] {1, 2, 3}, "UTC"), BINDING);
    }

    private static Proof proof(String user, char[] password, Challenge challenge) {
        byte[] salted = Scram.salted(password, challenge);
        return new Proof(Scram.clientProof(salted, Scram.exchange(user, challenge, BINDING)));
    }

    @Test
    void shouldAcceptTheProofOfTheRightPassword() {
        ScramExchange exchange = begin("ann");
        Challenge challenge = exchange.challenge();
        assertThat(exchange.verify(proof("ann", PASSWORD, challenge))).isTrue();
        assertThat(exchange.serverSignature())
                .as("the signature proves to the client that the server knows the password")
                .isEqualTo(Scram.expectedSignature(
                        Scram.salted(PASSWORD, challenge), Scram.exchange("ann", challenge, BINDING)));
    }

    @Test
    void shouldRefuseWrongPasswordsForeignUsersAndReplayedProofs() {
        ScramExchange exchange = begin("ann");
        assertThat(exchange.verify(proof("ann", "wrong".toCharArray(), exchange.challenge())))
                .isFalse();
        assertThat(exchange.verify(proof("bob", PASSWORD, exchange.challenge())))
                .as("a proof for another user")
                .isFalse();
        assertThat(exchange.verify(proof("ann", PASSWORD, begin("ann").challenge())))
                .as("a proof for the challenge of another login")
                .isFalse();
        assertThat(exchange.verify(new Proof(new byte[0]))).isFalse();
    }

    @Test
    void shouldChallengeUnknownUsersLikeKnownOnes() {
        Challenge known = begin("ann").challenge();
        ScramExchange unknown = begin("eve");
        assertThat(unknown.challenge().iterations()).isEqualTo(known.iterations());
        assertThat(unknown.challenge().salt()).hasSameSizeAs(known.salt());
        assertThat(unknown.challenge().salt())
                .as("the same salt at each login of the same user")
                .isEqualTo(begin("eve").challenge().salt());
        assertThat(unknown.challenge().salt())
                .as("a salt of the user's own, as each known user has")
                .isNotEqualTo(begin("mallory").challenge().salt())
                .isNotEqualTo(known.salt());
    }

    @Test
    void shouldRefuseEachPasswordOfAnUnknownUser() {
        for (String password : new String[] {"password", "", "correct horse"}) {
            ScramExchange unknown = begin("eve");
            assertThat(unknown.verify(proof("eve", password.toCharArray(), unknown.challenge())))
                    .as(password)
                    .isFalse();
        }
    }

    @Test
    void shouldAddItsOwnRandomBytesToTheNonceOfTheClient() {
        byte[] first = begin("ann").challenge().nonce();
        byte[] second = begin("ann").challenge().nonce();
        assertThat(Arrays.copyOf(first, 3)).containsExactly(1, 2, 3);
        assertThat(first).hasSizeGreaterThan(16).isNotEqualTo(second);
    }

    /** The client has received another certificate than the server's. */
    @Test
    void shouldRefuseAProofThatIsBoundToAnotherConnection() {
        ScramExchange exchange = begin("ann");
        for (byte[] other : new byte[][] {{}, {1, 2, 3, 5}}) {
            byte[] signed = Scram.exchange("ann", exchange.challenge(), other);
            byte[] salted = Scram.salted(PASSWORD, exchange.challenge());
            assertThat(exchange.verify(new Proof(Scram.clientProof(salted, signed))))
                    .isFalse();
        }
    }
}
