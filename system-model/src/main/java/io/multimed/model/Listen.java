package io.multimed.model;

import io.multimed.model.value.ByteSize;
import io.multimed.model.value.Secret;
import java.time.Duration;
import java.util.List;

/**
 * Address of the middleware, limits of its clients, and their accounts.
 *
 * @param port TCP port; 0 for a free one
 * @param maxClients maximum number of concurrent connections
 * @param maxFrame maximum size of a request
 * @param idle limits for clients that send nothing
 * @param users the accounts that may connect; empty admits every client without a password, which is allowed on
 * loopback only
 */
public record Listen(String host, int port, int maxClients, ByteSize maxFrame, Idle idle, List<User> users) {
    public static final int DEFAULT_PORT = 7411;
    /** Loopback only, without accounts. */
    public static final Listen DEFAULT =
            new Listen("127.0.0.1", DEFAULT_PORT, 1_000, ByteSize.megabytes(64), Idle.UNLIMITED, List.of());

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

    /**
     * An account that may connect.
     *
     * @param administrator whether the account may change and verify the running system: {@code ALTER MULTIMED ...},
     * {@code VERIFY MULTIMED}
     */
    public record User(String name, Secret password, boolean administrator) {}
}
