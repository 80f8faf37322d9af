package io.multimed.server.communication;

import io.multimed.protocol.Scram;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Who may connect. Keeps of each password only what verifies it. Immutable. */
public final class Users {
    private static final int SALT_BYTES = 16;

    private final Map<String, Scram.Verifier> verifiers = new HashMap<>();
    private final Set<String> administrators;
    private final Scram.Verifier nobody;

    /**
     * Takes the users with their passwords.
     *
     * @param passwords by user; empty if any user may connect, which is for loopback only
     * @param administrators who may change and check the running system; where any user may connect, all may
     */
    public Users(Map<String, char[]> passwords, Set<String> administrators) {
        this.administrators = Set.copyOf(administrators);
        passwords.forEach((user, password) -> verifiers.put(user, Scram.verifier(password, salt(), Scram.ITERATIONS)));
        nobody = Scram.verifier("nobody".toCharArray(), salt(), Scram.ITERATIONS);
    }

    boolean areAsked() {
        return !verifiers.isEmpty();
    }

    /** For an unknown user one that nothing matches, so that nobody learns which users there are. */
    Scram.Verifier verifier(String user) {
        var known = verifiers.get(user);
        return known == null ? nobody : known;
    }

    boolean isKnown(String user) {
        return verifiers.containsKey(user);
    }

    boolean isAdministrator(String user) {
        return !areAsked() || administrators.contains(user);
    }

    private static byte[] salt() {
        byte[] salt = new byte[SALT_BYTES];
        new SecureRandom().nextBytes(salt);
        return salt;
    }
}
