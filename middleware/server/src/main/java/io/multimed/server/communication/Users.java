package io.multimed.server.communication;

import io.multimed.protocol.Scram;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The users that may connect. Stores only the SCRAM verifier of each password. Immutable. */
public final class Users {
    private static final int SALT_BYTES = 16;

    private final Map<String, Scram.Verifier> verifiers = new HashMap<>();
    private final Set<String> administrators;
    private final Scram.Verifier unknownUser;

    /**
     * Computes the verifiers of the users.
     *
     * @param passwords passwords by user; empty if every user may connect, which is permitted on loopback only
     * @param administrators users that may change and verify the running system; if every user may connect, every user
     * is an administrator
     */
    public Users(Map<String, char[]> passwords, Set<String> administrators) {
        this.administrators = Set.copyOf(administrators);
        passwords.forEach((user, password) -> verifiers.put(user, Scram.verifier(password, salt(), Scram.ITERATIONS)));
        unknownUser = Scram.verifier("nobody".toCharArray(), salt(), Scram.ITERATIONS);
    }

    boolean areAsked() {
        return !verifiers.isEmpty();
    }

    /**
     * Returns the verifier of a user. For an unknown user, returns a verifier that no proof matches, so that a client
     * cannot find out which users exist.
     */
    Scram.Verifier verifier(String user) {
        var known = verifiers.get(user);
        return known == null ? unknownUser : known;
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
