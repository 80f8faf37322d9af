// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.machine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds free ports on loopback. Prefers ports below the range that the system assigns to outgoing connections: a port
 * in that range may be taken before the server listens or while the server restarts, even by a client that tries to
 * connect to this server and then connects to itself.
 */
public final class Ports {
    private static final int FIRST = 10_000;
    // Number of ports below the outgoing range that is worth a search.
    private static final int MIN_PORTS = 1_000;
    private static final int TRIES = 100;
    private static final int MAX_BYTES = 64;
    private static final Path OUTGOING = Path.of("/proc/sys/net/ipv4/ip_local_port_range");

    private Ports() {}

    /** Returns a port without a listener. */
    public static int free() {
        try {
            int end = firstOutgoing();
            for (int i = 0; i < TRIES && end - FIRST >= MIN_PORTS; i++) {
                int port = ThreadLocalRandom.current().nextInt(FIRST, end);
                if (isFree(port)) {
                    return port;
                }
            }
            try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return any.getLocalPort();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("no free port", e);
        }
    }

    /**
     * Returns the first port of the outgoing range, or 0 if the system does not publish the range. The kernel returns
     * this file to the first read only, so that one read must be long enough.
     */
    private static int firstOutgoing() throws IOException {
        if (!Files.exists(OUTGOING)) {
            return 0;
        }
        try (InputStream in = Files.newInputStream(OUTGOING)) {
            String range = new String(in.readNBytes(MAX_BYTES), StandardCharsets.US_ASCII);
            return Integer.parseInt(range.strip().split("\\s+", -1)[0]);
        }
    }

    private static boolean isFree(int port) {
        try {
            listen(port);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Listens for a moment. Ignores connections in state TIME_WAIT, as servers do. */
    private static void listen(int port) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        }
    }

    /**
     * Checks that a port has no listener.
     *
     * @param node name of the node, for the message
     * @throws EngineException if the port is in use
     */
    public static void check(String node, int port) {
        try {
            listen(port);
        } catch (IOException e) {
            throw new EngineException(
                    "%s: port %d is in use; choose another port, or 0 for a free one".formatted(node, port), e);
        }
    }
}
