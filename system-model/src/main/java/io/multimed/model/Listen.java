package io.multimed.model;

import io.multimed.model.value.ByteSize;
import io.multimed.model.value.Secret;
import java.time.Duration;
import java.util.List;

/**
 * Where clients connect.
 *
 * @param port 0 for a free one
 * @param idle what a client may hold how long that sends nothing
 * @param users who may connect; empty for anybody, which is allowed on loopback only
 */
public record Listen(String host, int port, int maxClients, ByteSize maxFrame, Idle idle, List<User> users) {
    public static final int DEFAULT_PORT = 7411;
    public static final Listen DEFAULT =
            new Listen("127.0.0.1", DEFAULT_PORT, 1_000, ByteSize.megabytes(64), Idle.UNLIMITED, List.of());

    public Listen {
        users = List.copyOf(users);
    }

    /**
     * How long a client may send nothing while it keeps a connection of an engine from others; zero for as long as it likes.
     *
     * @param inTransaction with a transaction open
     * @param pinned with state in the engine's session: settings, temporary tables, locks
     */
    public record Idle(Duration inTransaction, Duration pinned) {
        public static final Idle UNLIMITED = new Idle(Duration.ZERO, Duration.ZERO);
    }

    /**
     * Somebody who may connect.
     *
     * @param administrator whether the user may change and check the running system: {@code ALTER MULTIMED ...}, {@code VERIFY MULTIMED}
     */
    public record User(String name, Secret password, boolean administrator) {}
}
