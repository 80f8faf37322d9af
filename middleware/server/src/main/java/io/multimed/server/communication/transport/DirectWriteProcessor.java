// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.transport;

import java.io.IOException;
import java.util.concurrent.Executor;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.write.WriteRequest;
import org.apache.mina.filter.ssl.EncryptedWriteRequest;
import org.apache.mina.transport.socket.nio.NioProcessor;
import org.apache.mina.transport.socket.nio.NioSession;

/**
 * An I/O processor that writes a response on the thread that has produced it. To wake the I/O thread for the write
 * would cost two context switches per request, which is more than the write itself. Bytes that the socket does not
 * accept immediately remain in the queue of the MINA session, and the I/O thread writes them as usual. Therefore no
 * thread blocks on a slow client.
 *
 * <p>The TLS filter does not expect that a part of a message has been sent before it has encrypted the next part.
 * Encrypted responses are therefore written by the I/O thread.
 *
 * <p>The order of responses is kept: a session produces one response at a time, and nothing is written directly while
 * earlier bytes wait in the queue.
 */
public final class DirectWriteProcessor extends NioProcessor {
    /**
     * Called by MINA's processor pool through reflection.
     *
     * @param executor runs the I/O thread
     */
    public DirectWriteProcessor(Executor executor) {
        super(executor);
    }

    @Override
    public void write(NioSession session, WriteRequest request) {
        if (!(request instanceof EncryptedWriteRequest)
                && isAlone(session)
                && request.getMessage() instanceof IoBuffer bytes
                && writeAll(session, bytes)) {
            session.getFilterChain().fireMessageSent(request);
        } else {
            super.write(session, request);
        }
    }

    /**
     * Returns whether no other message waits. MINA counts a message from before this call until its last byte is
     * written.
     */
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
            // The client is gone. The I/O thread meets the same error when it writes, and closes the session.
            return false;
        }
    }
}
