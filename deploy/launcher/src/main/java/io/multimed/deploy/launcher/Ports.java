package io.multimed.deploy.launcher;

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
 * Ports on loopback. Free ones lie below those that the system gives to outgoing connections: one of these may be taken before its server listens there or while it
 * is started again, even by a client that calls for this server and then reaches itself.
 */
public final class Ports {
    private static final int FIRST = 10_000;
    private static final int FEWEST = 1_000;
    private static final int TRIES = 100;
    private static final int LONGEST = 64;
    private static final Path OUTGOING = Path.of("/proc/sys/net/ipv4/ip_local_port_range");

    private Ports() {}

    /** A port on which nobody listens now. */
    public static int free() {
        try {
            int end = firstOutgoing();
            for (int i = 0; i < TRIES && end - FIRST >= FEWEST; i++) {
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

    /** Or 0 where the system does not say it. The kernel gives this file to the first read only, whatever that asked for. */
    private static int firstOutgoing() throws IOException {
        if (!Files.exists(OUTGOING)) {
            return 0;
        }
        try (InputStream in = Files.newInputStream(OUTGOING)) {
            String range = new String(in.readNBytes(LONGEST), StandardCharsets.US_ASCII);
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

    private static void listen(int port) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        }
    }

    /**
     * Makes sure that nobody listens there.
     *
     * @param node for the message
     */
    static void check(String node, int port) {
        try {
            listen(port);
        } catch (IOException e) {
            throw new EngineException(
                    "%s: port %d is in use; choose another, or 0 for a free one".formatted(node, port), e);
        }
    }
}
