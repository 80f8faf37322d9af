// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.peer;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;

/**
 * A TCP connection between two sockets of this machine.
 *
 * @param client address of the client's socket
 * @param server address of the middleware's socket
 */
public record LocalConnection(InetSocketAddress client, InetSocketAddress server) {
    /** The beginning of an IPv4 address in the notation of IPv6, as the kernel writes it. */
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};

    private static final int IPV4_BYTES = 4;

    /** Returns whether both sockets have addresses of IPv4. */
    boolean isIpv4() {
        return bytes(client).length == IPV4_BYTES && bytes(server).length == IPV4_BYTES;
    }

    /** Returns the client's and the server's address as a row of {@code /proc/net/tcp} has them. */
    String ipv4Row() {
        return row(bytes(client), bytes(server));
    }

    /** Returns both as a row of {@code /proc/net/tcp6} has them, where a socket may use IPv4 as well. */
    String ipv6Row() {
        return row(mapped(bytes(client)), mapped(bytes(server)));
    }

    private String row(byte[] from, byte[] to) {
        return "%s:%04X %s:%04X".formatted(hexadecimal(from), client.getPort(), hexadecimal(to), server.getPort());
    }

    private static byte[] bytes(InetSocketAddress address) {
        InetAddress known = address.getAddress();
        return known == null ? new byte[0] : known.getAddress();
    }

    private static byte[] mapped(byte[] address) {
        return address.length == IPV4_BYTES
                ? ByteBuffer.allocate(MAPPED.length + IPV4_BYTES)
                        .put(MAPPED)
                        .put(address)
                        .array()
                : address;
    }

    /** The kernel writes words of 32 bits as numbers of the machine. */
    private static String hexadecimal(byte[] address) {
        StringBuilder text = new StringBuilder();
        ByteBuffer words = ByteBuffer.wrap(address).order(ByteOrder.nativeOrder());
        while (words.remaining() >= IPV4_BYTES) {
            text.append(String.format(Locale.ROOT, "%08X", words.getInt()));
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return client + " to " + server;
    }
}
