// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.socket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Ways to connect two processes of one machine. */
public enum Transport {
    /** TCP on loopback with {@link Socket}, as the driver uses it. */
    TCP_SOCKET,
    /** The same with a limit for the time of a read (the driver's property {@code socketTimeout}). */
    TCP_SOCKET_WITH_TIMEOUT,
    /** TCP on loopback with a channel: the difference to {@link #UNIX_CHANNEL} is that of the transports alone. */
    TCP_CHANNEL,
    /** A Unix-domain socket, for which the JDK has channels only. */
    UNIX_CHANNEL;

    private static final int TIMEOUT_MILLIS = 60_000;

    /** @param folder for the file of a Unix-domain socket */
    ServerSocketChannel listen(Path folder) throws IOException {
        return this == UNIX_CHANNEL
                ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                        .bind(UnixDomainSocketAddress.of(folder.resolve("socket")))
                : ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** Returns a text from which {@link #connect} makes the address again, in another process. */
    static String print(SocketAddress address) {
        return address instanceof InetSocketAddress tcp ? Integer.toString(tcp.getPort()) : address.toString();
    }

    /** @param address as {@link #print} returns it */
    Connection connect(String address) throws IOException {
        return switch (this) {
            case TCP_SOCKET -> new StreamConnection(socket(address, 0));
            case TCP_SOCKET_WITH_TIMEOUT -> new StreamConnection(socket(address, TIMEOUT_MILLIS));
            case TCP_CHANNEL -> {
                SocketChannel channel = SocketChannel.open(tcp(address));
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                yield new ChannelConnection(channel);
            }
            case UNIX_CHANNEL -> new ChannelConnection(SocketChannel.open(UnixDomainSocketAddress.of(address)));
        };
    }

    private static Socket socket(String address, int timeoutMillis) throws IOException {
        InetSocketAddress port = tcp(address);
        Socket socket = new Socket(port.getAddress(), port.getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(timeoutMillis);
        return socket;
    }

    private static InetSocketAddress tcp(String port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    }
}
