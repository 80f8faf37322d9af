package io.multimed.server.communication;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.protocol.Scram;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The users that may connect. Stores only the SCRAM verifier of each password. Immutable. */
public final class Users {
    private static final int SALT_BYTES = 16;
    private static final int SECRET_BYTES = 32;

    private final Map<String, Scram.Verifier> verifiers = new HashMap<>();
    private final Set<String> administrators;

    /**
     * Determines the salts of unknown users. As random as the salts of known users, which change at each start, too.
     */
    private final byte[] secret = random(SECRET_BYTES);

    /** Keys that belong to no password. */
    private final byte[] storedKey = random(SECRET_BYTES);

    private final byte[] serverKey = random(SECRET_BYTES);

    /**
     * Computes the verifiers of the users.
     *
     * @param passwords passwords by user; empty if every user may connect, which is permitted on loopback only
     * @param administrators users that may change and verify the running system; if every user may connect, every user
     * is an administrator
     */
    public Users(Map<String, char[]> passwords, Set<String> administrators) {
        this.administrators = Set.copyOf(administrators);
        passwords.forEach((user, password) ->
                verifiers.put(user, Scram.verifier(password, random(SALT_BYTES), Scram.ITERATIONS)));
    }

    boolean areAsked() {
        return !verifiers.isEmpty();
    }

    /**
     * Returns the verifier of a user. For an unknown user, returns a verifier that no proof matches, with a salt that
     * belongs to this name only, so that a client cannot find out which users exist. Computes the salt for known users,
     * too, so that both take the same time.
     */
    Scram.Verifier verifier(String user) {
        Scram.Verifier unknown = new Scram.Verifier(saltOfUnknown(user), Scram.ITERATIONS, storedKey, serverKey);
        return verifiers.getOrDefault(user, unknown);
    }

    boolean isKnown(String user) {
        return verifiers.containsKey(user);
    }

    boolean isAdministrator(String user) {
        return !areAsked() || administrators.contains(user);
    }

    private byte[] saltOfUnknown(String user) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            return Arrays.copyOf(mac.doFinal(user.getBytes(UTF_8)), SALT_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no HmacSHA256", e);
        }
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }
}
