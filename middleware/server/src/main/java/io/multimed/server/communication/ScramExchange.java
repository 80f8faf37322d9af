// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.protocol.Scram;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.request.Proof;
import io.multimed.protocol.response.Challenge;
import io.multimed.protocol.tls.ChannelBinding;
import java.security.SecureRandom;

/**
 * The SCRAM-SHA-256 exchange of one login (RFC 5802): {@link #begin} creates the challenge, {@link #verify} checks the
 * client's proof, {@link #serverSignature} proves to the client that the server knows the password. Used by the
 * session's current thread.
 */
final class ScramExchange {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int NONCE_BYTES = 18;

    private final Users users;
    private final String user;
    private final Scram.Verifier verifier;
    private final Challenge challenge;
    private final byte[] binding;

    private ScramExchange(Users users, Hello hello, byte[] binding) {
        this.users = users;
        this.binding = binding;
        this.user = hello.user();
        this.verifier = users.verifier(user);
        this.challenge = new Challenge(verifier.salt(), verifier.iterations(), nonce(hello.nonce()));
    }

    /** @param binding {@link ChannelBinding} of the connection */
    static ScramExchange begin(Users users, Hello hello, byte[] binding) {
        return new ScramExchange(users, hello, binding);
    }

    Challenge challenge() {
        return challenge;
    }

    boolean verify(Proof proof) {
        return Scram.proves(proof, verifier, exchange()) && users.isKnown(user);
    }

    byte[] serverSignature() {
        return Scram.serverSignature(verifier, exchange());
    }

    private byte[] exchange() {
        return Scram.exchange(user, challenge, binding);
    }

    private static byte[] nonce(byte[] client) {
        byte[] own = new byte[NONCE_BYTES];
        RANDOM.nextBytes(own);
        byte[] both = new byte[client.length + own.length];
        System.arraycopy(client, 0, both, 0, client.length);
        System.arraycopy(own, 0, both, client.length, own.length);
        return both;
    }
}
