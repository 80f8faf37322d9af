package io.multimed.server.communication;

import java.io.IOException;
import java.util.concurrent.Executor;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.write.WriteRequest;
import org.apache.mina.transport.socket.nio.NioProcessor;
import org.apache.mina.transport.socket.nio.NioSession;

/**
 * An I/O thread that lets the thread with an answer write it to the socket itself. Waking the I/O thread for it would cost two context switches per request, which
 * is more than the write. What the socket does not take at once waits in the session's queue and is written by the I/O thread as usual, so no
 * thread ever blocks on a slow reader.
 *
 * <p>Order is kept because a session's answers are given one after the other, and nothing is written directly while something waits.
 */
public final class DirectWriteProcessor extends NioProcessor {
    /** @param executor runs the I/O thread; the constructor that MINA's processor pool looks for */
    public DirectWriteProcessor(Executor executor) {
        super(executor);
    }

    @Override
    public void write(NioSession session, WriteRequest request) {
        if (isAlone(session) && request.getMessage() instanceof IoBuffer bytes && writeAll(session, bytes)) {
            session.getFilterChain().fireMessageSent(request);
        } else {
            super.write(session, request);
        }
    }

    /** MINA counts a message before it comes here, and until it is written to its end. */
    private static boolean isAlone(NioSession session) {
        return session.getScheduledWriteMessages() == 1;
    }

    private boolean writeAll(NioSession session, IoBuffer bytes) {
        if (!session.isConnected()) {
            return false;
        }
        try {
            int written = write(session, bytes, bytes.remaining());
            session.increaseWrittenBytes(written, System.currentTimeMillis());
            return !bytes.hasRemaining();
        } catch (IOException e) {
            // The client is gone: the I/O thread finds the same when it writes, and closes the session in its own way.
            return false;
        }
    }
}
