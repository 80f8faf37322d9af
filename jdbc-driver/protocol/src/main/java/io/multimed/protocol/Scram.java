// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.protocol.request.Proof;
import io.multimed.protocol.response.Challenge;
import io.multimed.protocol.tls.ChannelBinding;
import io.multimed.protocol.wire.WireWriter;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * SCRAM-SHA-256 (RFC 5802, RFC 7677) over the protocol's own messages, with channel binding if the connection uses
 * TLS. Both sides sign the same {@code exchange}: the concatenation of user, nonces, salt, iteration count and {@link
 * ChannelBinding}. There is nothing to negotiate, and therefore nothing that an attacker could negotiate away. The
 * middleware stores only StoredKey and ServerKey, from which the password cannot be computed.
 */
public final class Scram {
    public static final int ITERATIONS = 4096;

    /** A client refuses to compute more iterations, which would keep it busy. */
    public static final int MAX_ITERATIONS = 1_000_000;

    private static final int SALT_BYTES = 16;

    private Scram() {}

    private static final Pattern TEXT =
            Pattern.compile("SCRAM-SHA-256\\$([0-9]{1,7}):([A-Za-z0-9+/=]+)\\$([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)");

    private static final int KEY_BYTES = 32;

    /** The middleware's record of a password. */
    public record Verifier(byte[] salt, int iterations, byte[] storedKey, byte[] serverKey) {
        /**
         * Parses the text that {@link #toText} returns.
         *
         * @throws IllegalArgumentException if it is another text; the message does not contain the text
         */
        public static Verifier parse(String text) {
            Matcher matcher = TEXT.matcher(text);
            if (!matcher.matches()) {
                throw new IllegalArgumentException(
                        "is not of the form SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey");
            }
            int iterations = Integer.parseInt(matcher.group(1));
            Verifier verifier = new Verifier(
                    decoded(matcher.group(2)), iterations, decoded(matcher.group(3)), decoded(matcher.group(4)));
            if (iterations < ITERATIONS
                    || iterations > MAX_ITERATIONS
                    || verifier.storedKey.length != KEY_BYTES
                    || verifier.serverKey.length != KEY_BYTES) {
                throw new IllegalArgumentException(
                        "has too few or too many iterations, or keys that are not of 32 bytes");
            }
            return verifier;
        }

        private static byte[] decoded(String base64) {
            return Base64.getDecoder().decode(base64);
        }

        /** Returns the verifier as a text, from which no password can be computed. */
        public String toText() {
            Base64.Encoder base64 = Base64.getEncoder();
            return "SCRAM-SHA-256$%d:%s$%s:%s"
                    .formatted(
                            iterations,
                            base64.encodeToString(salt),
                            base64.encodeToString(storedKey),
                            base64.encodeToString(serverKey));
        }
    }

    /** Computes the record of a password with a new salt. */
    public static Verifier verifier(char[] password) {
        return verifier(password, newSalt(), ITERATIONS);
    }

    /**
     * Computes the record of a password of at least 128 random bits, for an engine, with a new salt and one iteration.
     * Iterations delay guesses, and nobody can guess such a password; but the client repeats them at each login.
     */
    public static Verifier verifierOfRandom(char[] password) {
        return verifier(password, newSalt(), 1);
    }

    private static byte[] newSalt() {
        byte[] salt = new byte[SALT_BYTES];
        new SecureRandom().nextBytes(salt);
        return salt;
    }

    /** Computes the record of a password. */
    public static Verifier verifier(char[] password, byte[] salt, int iterations) {
        byte[] salted = salted(password, salt, iterations);
        return new Verifier(salt, iterations, sha256(hmac(salted, "Client Key")), hmac(salted, "Server Key"));
    }

    /**
     * Returns the bytes that both sides sign.
     *
     * @param binding {@link ChannelBinding} of the connection
     */
    public static byte[] exchange(String user, Challenge challenge, byte[] binding) {
        WireWriter out = new WireWriter();
        out.writeString(user);
        challenge.write(out);
        out.writeBytes(binding);
        return out.toByteArray();
    }

    /** Returns SaltedPassword, which the client computes once for each login: this takes all iterations. */
    public static byte[] salted(char[] password, Challenge challenge) {
        return salted(password, challenge.salt(), challenge.iterations());
    }

    /** Returns ClientProof, which the client sends as {@link Proof}. */
    public static byte[] clientProof(byte[] salted, byte[] exchange) {
        byte[] clientKey = hmac(salted, "Client Key");
        return xor(clientKey, hmac(sha256(clientKey), exchange));
    }

    /** Returns whether the sender of a proof knows the password. Compares in constant time. */
    public static boolean proves(Proof proof, Verifier verifier, byte[] exchange) {
        byte[] signature = hmac(verifier.storedKey(), exchange);
        return proof.clientProof().length == signature.length
                && java.security.MessageDigest.isEqual(
                        sha256(xor(proof.clientProof(), signature)), verifier.storedKey());
    }

    /** Returns ServerSignature, which proves to the client that the middleware has the password's record. */
    public static byte[] serverSignature(Verifier verifier, byte[] exchange) {
        return hmac(verifier.serverKey(), exchange);
    }

    /** Returns the ServerSignature that the client expects. */
    public static byte[] expectedSignature(byte[] salted, byte[] exchange) {
        return hmac(hmac(salted, "Server Key"), exchange);
    }

    private static byte[] salted(char[] password, byte[] salt, int iterations) {
        try {
            PBEKeySpec key = new PBEKeySpec(password, salt, iterations, 256);
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(key)
                    .getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no PBKDF2WithHmacSHA256", e);
        }
    }

    private static byte[] hmac(byte[] key, String text) {
        return hmac(key, text.getBytes(UTF_8));
    }

    private static byte[] hmac(byte[] key, byte[] text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no HmacSHA256", e);
        }
    }

    private static byte[] sha256(byte[] text) {
        try {
            return java.security.MessageDigest.getInstance("SHA-256").digest(text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no SHA-256", e);
        }
    }

    private static byte[] xor(byte[] left, byte[] right) {
        byte[] result = Arrays.copyOf(left, left.length);
        for (int i = 0; i < result.length; i++) {
            result[i] ^= right[i];
        }
        return result;
    }
}
