package io.multimed.middleware.communication;

import io.multimed.model.Listen;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * The address where the middleware will listen, taken before anything is started: whoever starts in vain learns it at once, and has touched nothing. Nobody is let in yet: clients find the port
 * closed. {@link Server} can listen there although it is reserved.
 */
public final class ReservedAddress implements AutoCloseable {
    private final Socket holder = new Socket();

    private ReservedAddress() {}

    /**
     * Returns when the address is ours.
     *
     * @throws IOException if somebody listens there, or it is not this machine's; says what to do
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

    /** To be bound says nothing: the kernel refuses only who wants to listen where somebody does. */
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
                "cannot listen on %s:%d: %s; stop the middleware, or what else listens there (ss -ltnp shows it), or choose another listen.port in the System Model, 0 for a free one"
                        .formatted(address.getHostString(), address.getPort(), reason),
                why);
    }

    @Override
    public void close() throws IOException {
        holder.close();
    }
}
