// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.model.listen.FileVersion;
import io.multimed.model.listen.Listen;
import io.multimed.model.listen.UserLimits;
import io.multimed.model.listen.UsersFile;
import io.multimed.protocol.Scram;
import io.multimed.server.audit.AuditLog;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
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
    private static final int MAX_CHANGES = 50;
    private static final int SECRET_BYTES = 32;

    private final boolean ownRoles;
    private final AuditLog audit;

    /** Replaced as a whole when the file or the model has changed. */
    private volatile Accounts accounts;

    /** The limits of users that have none of their own. */
    private volatile UserLimits ofAll;

    /** Whether {@link #replace} has changed the users since the last {@link #reload}. */
    private volatile boolean replaced;

    /**
     * Determines the salts of unknown users. As random as the salts of known users, which change at each start, too.
     */
    private final byte[] secret = random(SECRET_BYTES);

    /** Keys that belong to no password. */
    private final byte[] storedKey = random(SECRET_BYTES);

    private final byte[] serverKey = random(SECRET_BYTES);

    private final FailedLogins failedLogins = new FailedLogins();

    /**
     * @param administrator whether the user may change and verify the running system
     * @param role the engine role as which the user's statements run; null for the master's user
     * @param limits of the user's own
     */
    private record Account(
            Scram.Verifier verifier,
            boolean administrator,
            @Nullable String role,
            UserLimits limits) {
        String changeTo(Account other) {
            boolean samePassword = Arrays.equals(verifier.storedKey(), other.verifier.storedKey());
            return (samePassword ? "" : " password")
                    + (administrator == other.administrator
                            ? ""
                            : other.administrator ? " administrator" : " no administrator")
                    + (Objects.equals(role, other.role) ? "" : " role")
                    + (limits.equals(other.limits) ? "" : " limits");
        }
    }

    /**
     * The accounts, and from which state of the file they were read.
     *
     * @param ofTheModel accounts that are not in the file
     * @param passThrough as in the definition
     */
    private record Accounts(
            Map<String, Account> ofTheModel,
            boolean passThrough,
            @Nullable Path file,
            Map<String, Account> byName,
            FileVersion version) {
        Accounts with(Map<String, Account> all, FileVersion ofFile) {
            return new Accounts(ofTheModel, passThrough, file, all, ofFile);
        }

        boolean areAsked() {
            return file != null || !ofTheModel.isEmpty() || passThrough;
        }

        boolean passesThrough(String user) {
            return passThrough
                    && !byName.containsKey(user)
                    && byName.values().stream().noneMatch(account -> user.equals(account.role));
        }
    }

    /**
     * The users that a System Model defines.
     *
     * @param users of the model. Without users, without a file and without pass-through only trusted accounts of this
     *     machine may connect, on loopback, and are administrators: see {@link
     *     io.multimed.server.communication.peer.LocalClients}
     * @param ofAll the limits of users that have none of their own
     * @param file further users; null if there is none
     * @param passThrough whether the roles of the master may connect, too
     */
    public record Definition(
            List<Listen.User> users,
            UserLimits ofAll,
            @Nullable Path file,
            boolean passThrough) {}

    /**
     * Computes the verifiers of the users of the model, and reads the file.
     *
     * @param ownRoles whether the statements of users without a role, except for administrators, run as roles with the
     * names of the users
     * @param audit records changes of the users
     * @throws IOException if the file cannot be read, or contains a wrong line; names file and line
     */
    public Users(Definition definition, boolean ownRoles, AuditLog audit) throws IOException {
        this.ownRoles = ownRoles;
        this.audit = audit;
        this.accounts = accounts(definition);
        this.ofAll = definition.ofAll;
    }

    /**
     * Checks whether the users can be used.
     *
     * @throws IOException as the constructor
     */
    public static void check(Definition definition) throws IOException {
        Accounts unused = accounts(definition);
    }

    private static Accounts accounts(Definition definition) throws IOException {
        Map<String, Account> ofTheModel = new HashMap<>();
        for (Listen.User user : definition.users) {
            Scram.Verifier verifier = Scram.verifier(user.password().reveal().toCharArray());
            Listen.Role role = user.role();
            ofTheModel.put(
                    user.name(),
                    new Account(verifier, user.administrator(), role == null ? null : role.name(), user.limits()));
        }
        Accounts known = new Accounts(
                ofTheModel, definition.passThrough, definition.file, ofTheModel, FileVersion.of(List.of()));
        return definition.file == null ? known : read(known, definition.file);
    }

    /**
     * Replaces all users. Within a second, clients whose user is gone are disconnected. Passwords, rights and roles
     * that differ apply to new connections.
     *
     * @throws IOException as the constructor; the previous users then remain
     */
    public void replace(Definition definition) throws IOException {
        Accounts before = accounts;
        Accounts after = accounts(definition);
        accounts = after;
        ofAll = definition.ofAll;
        replaced = true;
        audit.record("users", "changed", "System Model:" + changes(before.byName, after.byName));
    }

    /** Changes the limits of users that have none of their own. Clients that are connected remain. */
    public void setLimits(UserLimits ofAllUsers) {
        ofAll = ofAllUsers;
    }

    private static Accounts read(Accounts known, Path from) throws IOException {
        FileVersion version = FileVersion.of(List.of(from));
        Map<String, Account> all = new HashMap<>(known.ofTheModel);
        try {
            for (UsersFile.Entry entry : UsersFile.read(from).users()) {
                Account account = new Account(verifier(entry), entry.administrator(), entry.role(), entry.limits());
                if (all.put(entry.name(), account) != null) {
                    throw new IOException("the user \"%s\" is also in listen.users".formatted(entry.name()));
                }
            }
        } catch (IOException e) {
            throw new IOException("listen.users-file: " + from + " cannot be used: " + e.getMessage(), e);
        }
        return known.with(all, version);
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
        Accounts before = accounts;
        Path from = before.file;
        if (replaced) {
            replaced = false;
            return true;
        }
        if (from == null || FileVersion.of(List.of(from)).equals(before.version)) {
            return false;
        }
        try {
            accounts = read(before, from);
            audit.record("users", "changed", from + ":" + changes(before.byName, accounts.byName));
            LOG.info("the users in {} have changed: {} users may connect", from, accounts.byName.size());
            return true;
        } catch (IOException e) {
            accounts = before.with(before.byName, FileVersion.of(List.of(from)));
            audit.record("users", "failed", from.toString());
            LOG.error("the users have changed, but cannot be used; the previous users may connect", e);
            return false;
        }
    }

    /** Describes the changes, for example {@code +ann; -bob; cid: password}; at most {@value #MAX_CHANGES} of them. */
    private static String changes(Map<String, Account> before, Map<String, Account> after) {
        Set<String> names = new TreeSet<>(before.keySet());
        names.addAll(after.keySet());
        List<String> changes = names.stream()
                .map(name -> change(name, before.get(name), after.get(name)))
                .filter(change -> !change.isEmpty())
                .toList();
        String more = changes.size() > MAX_CHANGES ? "; and %d more".formatted(changes.size() - MAX_CHANGES) : "";
        return " " + String.join("; ", changes.subList(0, Math.min(MAX_CHANGES, changes.size()))) + more;
    }

    private static String change(String name, @Nullable Account before, @Nullable Account after) {
        if (before == null) {
            return "+" + name + (after != null && after.administrator ? ": administrator" : "");
        } else if (after == null) {
            return "-" + name;
        }
        String change = before.changeTo(after);
        return change.isEmpty() ? "" : name + ":" + change;
    }

    /** Returns whether clients must log in; otherwise every client that is admitted may do everything. */
    public boolean areAsked() {
        return accounts.areAsked();
    }

    /** Returns whether roles of the master may connect. */
    boolean passThrough() {
        return accounts.passThrough;
    }

    /**
     * Returns whether a name may be that of a role of the master that connects with the master's password. Users of the
     * list and the file, and the roles as which their statements run, may not: the middleware has these passwords.
     */
    boolean passesThrough(String user) {
        return accounts.passesThrough(user);
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

    /** Returns the failed logins, which all ports share. */
    FailedLogins failedLogins() {
        return failedLogins;
    }

    /**
     * Decides whether a password may be checked by {@link #login}, as a login on the client port does.
     *
     * @return why not; null if it may be
     */
    public @Nullable Refusal refusal(InetAddress address, String user) {
        FailedLogins.Verdict verdict = failedLogins.ask(FailedLogins.network(address), user, System.nanoTime());
        return verdict.mayBeChecked() ? null : new Refusal(verdict.reason(), verdict.first());
    }

    /**
     * A login that is refused without a check.
     *
     * @param reason for the client
     * @param first whether it is the first one since others were checked, so that it should be logged
     */
    public record Refusal(String reason, boolean first) {}

    /**
     * Returns a proof of this login that {@link #isLoggedIn} accepts until the user is removed or has another password;
     * null if the user or the password is wrong. A failed login counts. Takes milliseconds.
     */
    public @Nullable Login login(InetAddress address, String user, char[] password) {
        Scram.Verifier known = verifier(user);
        Scram.Verifier claimed = Scram.verifier(password, known.salt(), known.iterations());
        if (MessageDigest.isEqual(known.storedKey(), claimed.storedKey()) && isKnown(user)) {
            failedLogins.succeeded(FailedLogins.network(address), user, System.nanoTime());
            return new Login(user, known.storedKey());
        }
        failedLogins.failed(FailedLogins.network(address), user, System.nanoTime());
        return null;
    }

    /** Returns whether the user of a login still exists, and has the same password. */
    public boolean isLoggedIn(Login login) {
        Account account = accounts.byName.get(login.user);
        return account != null && MessageDigest.isEqual(account.verifier.storedKey(), login.storedKey);
    }

    /** A login that has succeeded. */
    public static final class Login {
        private final String user;
        private final byte[] storedKey;

        private Login(String user, byte[] storedKey) {
            this.user = user;
            this.storedKey = storedKey;
        }

        public String user() {
            return user;
        }
    }

    /** How a client has logged in. */
    enum LoginMethod {
        /** Without a password, because its account is trusted. */
        ACCOUNT,
        /** With a password of the middleware's own list. */
        PASSWORD,
        /** With a password that the master knows. */
        MASTER,
        /** Without a password, because it is a part of this process. */
        EMBEDDED
    }

    /**
     * What a client may do.
     *
     * @param administrator whether it may change and verify the running system
     * @param role the engine role as which its statements run; null for the master's user
     */
    record Rights(boolean administrator, @Nullable String role) {}

    /**
     * Returns what a client that has logged in may do, by one state of the users; null if it may not connect any more,
     * because the users have changed since.
     */
    @Nullable
    Rights rights(String user, LoginMethod method) {
        Accounts current = accounts;
        return switch (method) {
            case ACCOUNT -> current.areAsked() ? null : new Rights(true, null);
            case EMBEDDED -> new Rights(true, null);
            case MASTER -> current.passesThrough(user) ? new Rights(false, user) : null;
            case PASSWORD -> {
                Account account = current.byName.get(user);
                yield account == null ? null : new Rights(account.administrator, role(user, account));
            }
        };
    }

    boolean isKnown(String user) {
        return accounts.byName.containsKey(user);
    }

    /**
     * Returns whether a user may change and verify the running system. A user who has logged in may not if all users
     * have been removed since.
     *
     * @param user empty if the client was admitted without a login
     */
    public boolean isAdministrator(String user) {
        Accounts current = accounts;
        Account account = current.byName.get(user);
        return account == null ? user.isEmpty() && !current.areAsked() : account.administrator;
    }

    /** Returns the engine roles of all present users. */
    public Set<String> roles() {
        Set<String> roles = new HashSet<>();
        accounts.byName.forEach((user, account) -> {
            String role = role(user, account);
            if (role != null) {
                roles.add(role);
            }
        });
        return roles;
    }

    /** Returns whether a user may read all tables: an administrator, or one whose statements do not run as a role. */
    public boolean seesAllNames(String user) {
        Account account = accounts.byName.get(user);
        return isAdministrator(user) || (account != null && role(user, account) == null);
    }

    /** Returns the engine role as which the user's statements run; null for the master's user. */
    private @Nullable String role(String user, Account account) {
        if (account.role != null) {
            return account.role;
        }
        return ownRoles && !account.administrator ? user : null;
    }

    /** Returns the maximum number of clients of a user; 0 for no limit. */
    int maxClients(String user) {
        return limits(user).clients().orElse(0);
    }

    /** Returns the maximum number of statements of a user that run at the same time; 0 for no limit. */
    public int maxStatements(String user) {
        return limits(user).statements().orElse(0);
    }

    private UserLimits limits(String user) {
        UserLimits all = ofAll;
        Account account = accounts.byName.get(user);
        return account == null ? all : account.limits.or(all);
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
