// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.model.listen.Listen;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;

/**
 * The address at which the middleware will listen, bound before anything is started: a failed start is reported
 * immediately and has no effects. The port accepts no connections yet. {@link Server} can listen there although it is
 * reserved.
 */
public final class ReservedAddress implements AutoCloseable {
    private static final int FIRST_UNPRIVILEGED = 1_024;

    private final Socket holder = new Socket();

    private ReservedAddress() {}

    /** Returns an object that reserves nothing. */
    public static ReservedAddress none() {
        return new ReservedAddress();
    }

    /**
     * Binds the address.
     *
     * @throws IOException if another process listens there, or the address does not belong to this machine; the message
     * says what to do
     */
    public static ReservedAddress of(Listen listen) throws IOException {
        InetSocketAddress address = new InetSocketAddress(listen.host(), listen.port());
        ReservedAddress reserved = new ReservedAddress();
        try {
            listenOnce(address);
            reserved.holder.setReuseAddress(true);
            reserved.holder.bind(address);
            return reserved;
        } catch (IOException e) {
            reserved.close();
            throw taken(address, e);
        }
    }

    /** Listens once, because binding does not detect a port in use: the kernel refuses only a second listener. */
    private static void listenOnce(InetSocketAddress address) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
        }
    }

    static IOException taken(InetSocketAddress address, IOException why) {
        String reason =
                why.getCause() == null ? why.getMessage() : why.getCause().getMessage();
        return new IOException(
                "cannot listen on %s:%d: %s; %s"
                        .formatted(address.getHostString(), address.getPort(), reason, advice(address)),
                why);
    }

    private static String advice(InetSocketAddress address) {
        if (!isOfThisMachine(address)) {
            return "choose an address of this machine for listen.host in the System Model, for example 127.0.0.1";
        }
        if (address.getPort() != 0 && address.getPort() < FIRST_UNPRIVILEGED) {
            return "stop the process that listens there (ss -ltnp shows it), or choose a listen.port of 1024 or more in the System Model: those below require a privilege";
        }
        return "stop the process that listens there (ss -ltnp shows it), or choose another listen.port in the System Model, 0 for a free one";
    }

    private static boolean isOfThisMachine(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        try {
            return host != null && (host.isAnyLocalAddress() || NetworkInterface.getByInetAddress(host) != null);
        } catch (SocketException e) {
            return true; // cannot be found out
        }
    }

    @Override
    public void close() throws IOException {
        holder.close();
    }
}
