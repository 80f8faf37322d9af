package io.multimed.server.communication;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.model.listen.FileVersion;
import io.multimed.model.listen.Listen;
import io.multimed.model.listen.UserLimits;
import io.multimed.model.listen.UsersFile;
import io.multimed.protocol.Scram;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users that may connect. Stores only the SCRAM verifier of each password. A file with users that changes is read
 * again. Thread-safe.
 */
public final class Users {
    private static final Logger LOG = LoggerFactory.getLogger(Users.class);
    private static final int SALT_BYTES = 16;
    private static final int SECRET_BYTES = 32;

    private final Map<String, Account> ofTheModel = new HashMap<>();
    private final UserLimits ofAll;
    private final @Nullable Path file;

    /** Replaced as a whole when the file has changed. */
    private volatile Accounts accounts;

    /**
     * Determines the salts of unknown users. As random as the salts of known users, which change at each start, too.
     */
    private final byte[] secret = random(SECRET_BYTES);

    /** Keys that belong to no password. */
    private final byte[] storedKey = random(SECRET_BYTES);

    private final byte[] serverKey = random(SECRET_BYTES);

    /** @param administrator whether the user may change and verify the running system */
    private record Account(Scram.Verifier verifier, boolean administrator, UserLimits limits) {}

    /** The accounts, and from which state of the file they were read. */
    private record Accounts(Map<String, Account> byName, FileVersion version) {}

    /**
     * Computes the verifiers of the users of the model, and reads the file.
     *
     * @param users of the model. Without users and without a file every user may connect, which is permitted on
     * loopback only, and is an administrator
     * @param ofAll the limits of users that have none of their own
     * @param file further users; null if there is none
     * @throws IOException if the file cannot be read, or contains a wrong line; names file and line
     */
    public Users(List<Listen.User> users, UserLimits ofAll, @Nullable Path file) throws IOException {
        this.ofAll = ofAll;
        for (Listen.User user : users) {
            Scram.Verifier verifier = Scram.verifier(user.password().reveal().toCharArray());
            ofTheModel.put(user.name(), new Account(verifier, user.administrator(), user.limits()));
        }
        this.file = file;
        this.accounts = file == null ? new Accounts(ofTheModel, FileVersion.of(List.of())) : read(file);
    }

    private Accounts read(Path from) throws IOException {
        FileVersion version = FileVersion.of(List.of(from));
        Map<String, Account> all = new HashMap<>(ofTheModel);
        try {
            for (UsersFile.Entry entry : UsersFile.read(from).users()) {
                Account account = new Account(verifier(entry), entry.administrator(), entry.limits());
                if (all.put(entry.name(), account) != null) {
                    throw new IOException("the user \"%s\" is also in listen.users".formatted(entry.name()));
                }
            }
        } catch (IOException e) {
            throw new IOException("listen.users-file: " + from + " cannot be used: " + e.getMessage(), e);
        }
        return new Accounts(all, version);
    }

    private static Scram.Verifier verifier(UsersFile.Entry entry) throws IOException {
        try {
            return Scram.Verifier.parse(entry.verifier());
        } catch (IllegalArgumentException e) {
            throw new IOException("the verifier of \"%s\" %s".formatted(entry.name(), e.getMessage()), e);
        }
    }

    /**
     * Called periodically: reads a file that has changed. If the file is wrong, the users remain. Returns whether the
     * users have changed.
     */
    boolean reload() {
        Path from = file;
        Accounts before = accounts;
        if (from == null || FileVersion.of(List.of(from)).equals(before.version)) {
            return false;
        }
        try {
            accounts = read(from);
            LOG.info("the users in {} have changed: {} users may connect", from, accounts.byName.size());
            return true;
        } catch (IOException e) {
            accounts = new Accounts(before.byName, FileVersion.of(List.of(from)));
            LOG.error("the users have changed, but cannot be used; the previous users may connect", e);
            return false;
        }
    }

    boolean areAsked() {
        return file != null || !ofTheModel.isEmpty();
    }

    /**
     * Returns the verifier of a user. For an unknown user, returns a verifier that no proof matches, with a salt that
     * belongs to this name only, so that a client cannot find out which users exist. Computes the salt for known users,
     * too, so that both take the same time.
     */
    Scram.Verifier verifier(String user) {
        Scram.Verifier unknown = new Scram.Verifier(saltOfUnknown(user), Scram.ITERATIONS, storedKey, serverKey);
        Account account = accounts.byName.get(user);
        return account == null ? unknown : account.verifier;
    }

    boolean isKnown(String user) {
        return accounts.byName.containsKey(user);
    }

    boolean isAdministrator(String user) {
        Account account = accounts.byName.get(user);
        return !areAsked() || (account != null && account.administrator);
    }

    /** Returns the maximum number of clients of a user; 0 for no limit. */
    int maxClients(String user) {
        return limits(user).clients().orElse(0);
    }

    /** Returns the maximum number of statements of a user that run at the same time; 0 for no limit. */
    int maxStatements(String user) {
        return limits(user).statements().orElse(0);
    }

    private UserLimits limits(String user) {
        Account account = accounts.byName.get(user);
        return account == null ? ofAll : account.limits.or(ofAll);
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
