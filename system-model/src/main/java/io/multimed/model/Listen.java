package io.multimed.model;

import java.util.List;

/**
 * Where clients connect.
 *
 * @param port 0 for a free one
 * @param users who may connect; empty for anybody, which is allowed on loopback only
 */
public record Listen(String host, int port, int maxClients, ByteSize maxFrame, List<User> users) {
    public static final int DEFAULT_PORT = 7411;
    public static final Listen DEFAULT =
            new Listen("127.0.0.1", DEFAULT_PORT, 1_000, ByteSize.megabytes(64), List.of());

    public Listen {
        users = List.copyOf(users);
    }

    /**
     * Somebody who may connect.
     *
     * @param administrator whether the user may change and check the running system: {@code ALTER MULTIMED ...}, {@code VERIFY MULTIMED}
     */
    public record User(String name, Secret password, boolean administrator) {}
}
