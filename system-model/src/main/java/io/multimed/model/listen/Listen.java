// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.listen;

import io.multimed.model.value.ByteSize;
import io.multimed.model.value.Secret;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Address of the middleware, limits of its clients, and their accounts.
 *
 * @param port TCP port; 0 for a free one
 * @param tls the certificate; null if clients cannot use TLS
 * @param maxClients maximum number of concurrent connections
 * @param maxFrame maximum size of a request
 * @param limits of clients, users and addresses
 * @param idle limits for clients that send nothing
 * @param shutdownWait how long open transactions may continue when the middleware is stopped
 * @param users the accounts that may connect. Without accounts and without a file, every client may, without a
 * password, which is allowed on loopback only
 * @param usersFile further accounts, see {@link UsersFile}; null if there are none
 * @param passThrough whether the roles of the master may connect, too, with the passwords that the master knows
 * @param embedded whether a dispatcher within an application opens the port, too
 */
public record Listen(
        String host,
        int port,
        @Nullable Tls tls,
        int maxClients,
        ByteSize maxFrame,
        Limits limits,
        Idle idle,
        Duration shutdownWait,
        List<User> users,
        @Nullable Path usersFile,
        boolean passThrough,
        boolean embedded) {
    public static final int DEFAULT_PORT = 7411;
    /** Loopback only, without accounts. */
    public static final Listen DEFAULT = new Listen(
            "127.0.0.1",
            DEFAULT_PORT,
            null,
            1_000,
            ByteSize.megabytes(64),
            Limits.DEFAULT,
            Idle.UNLIMITED,
            Duration.ofSeconds(10),
            List.of(),
            null,
            false,
            false);

    public Listen {
        users = List.copyOf(users);
    }

    /**
     * Maximum time without a request for a client that occupies an engine connection; zero for no limit.
     *
     * @param inTransaction limit with an open transaction
     * @param pinned limit with state in the engine's session: settings, temporary tables, locks
     */
    public record Idle(Duration inTransaction, Duration pinned) {
        public static final Idle UNLIMITED = new Idle(Duration.ZERO, Duration.ZERO);
    }

    /** Returns whether clients need a password. */
    public boolean hasUsers() {
        return !users.isEmpty() || usersFile != null || passThrough;
    }

    public Listen withPort(int other) {
        return new Listen(
                host,
                other,
                tls,
                maxClients,
                maxFrame,
                limits,
                idle,
                shutdownWait,
                users,
                usersFile,
                passThrough,
                embedded);
    }

    /**
     * The files of the port's certificate.
     *
     * @param certificate PEM file with the certificate and those up to its authority, or PKCS #12 file
     * @param key PEM file with the private key; null if {@code certificate} contains the key
     * @param keyPassword password of the key or of the PKCS #12 file
     * @param clientAuthorities PEM file with the authorities of the clients' certificates; null if clients need none
     * @param required whether clients without TLS are refused
     */
    public record Tls(
            Path certificate,
            @Nullable Path key,
            Secret keyPassword,
            @Nullable Path clientAuthorities,
            boolean required) {}

    /**
     * An account that may connect.
     *
     * @param administrator whether the account may change and verify the running system: {@code ALTER MULTIMED ...},
     * {@code VERIFY MULTIMED}
     * @param role the role of the master's engine as which the user's statements run; null for the master's user, who
     * has all rights
     * @param limits of the account's own
     */
    public record User(
            String name,
            Secret password,
            boolean administrator,
            @Nullable Role role,
            UserLimits limits) {}

    /**
     * A role of the engine.
     *
     * @param password with which Multimed connects as the role; null if Multimed sets one itself, because the engine
     * belongs to Multimed
     */
    public record Role(String name, @Nullable Secret password) {}
}
