// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.transport;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.protocol.Frame;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.wire.WireWriter;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.session.IoSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sending side of one connection. Large answers count against the memory of all clients until they are written.
 * Thread-safe, provided that answers are sent one after the other.
 */
final class ResponseSender {
    private static final Logger LOG = LoggerFactory.getLogger(ResponseSender.class);

    /** Larger answers are counted. */
    private static final int COUNTED = FrameReader.FREE_BYTES;

    /** Larger answers are not copied. */
    private static final int COPIED = 64 << 10;

    /** If memory is short, a client must read a part of a counted answer within this time. */
    private static final long UNREAD_MILLIS = 30_000;

    private static final ThreadLocal<WireWriter> SCRATCH = ThreadLocal.withInitial(WireWriter::new);

    private final IoSession io;
    private final MemoryBudget budget;
    private final Runnable disconnected;

    /** The next request of the client waits while more bytes of its answers are not written. */
    private final long mostUnread;

    /** Whether the next request waits until all answers are written. */
    private volatile boolean awaitsWrites;

    /** The request that waits; null if there is none. Taken by the thread that starts it. */
    private final AtomicReference<@Nullable Runnable> paused = new AtomicReference<>();

    /** Bytes of answers that are not written yet. Those that wait for encryption are unknown to the connection. */
    private final AtomicLong queued = new AtomicLong();

    /** Bytes of counted answers that are not written yet. */
    private final AtomicLong unread = new AtomicLong();

    /** @param disconnected runs when the client is disconnected because it reads nothing of its answers */
    ResponseSender(IoSession io, MemoryBudget budget, long mostUnread, Runnable disconnected) {
        this.disconnected = disconnected;
        this.io = io;
        this.budget = budget;
        this.mostUnread = mostUnread;
    }

    /**
     * Runs an action, which handles a request, when the client has read enough of the preceding answers: immediately if
     * it reads them. At most one action waits.
     */
    void whenRead(Runnable action) {
        if (hasRoom()) {
            start(action);
            return;
        }
        paused.set(action);
        if (hasRoom() || !io.isConnected()) {
            resume(); // the last call of sent() or closed() may have come before
        }
    }

    /**
     * Lets the next request wait until the answers to the preceding ones are written. The write fails if the client has
     * reset the connection, and the request does not run then.
     */
    void awaitWrites() {
        awaitsWrites = true;
    }

    private boolean hasRoom() {
        return queued.get() <= (awaitsWrites ? 0 : mostUnread);
    }

    private void start(Runnable action) {
        awaitsWrites = false;
        action.run();
    }

    private void resume() {
        Runnable action = paused.getAndSet(null);
        if (action != null) {
            start(action);
        }
    }

    /**
     * Called when an answer was written.
     *
     * @param bytes size of the answer
     */
    void sent(int bytes) {
        queued.addAndGet(-bytes);
        if (io.getScheduledWriteMessages() == 0) {
            written();
        }
        if (paused.get() != null && hasRoom()) {
            resume();
        }
    }

    /** Called when the connection is closed, after the session has noticed. */
    void closed() {
        written();
        resume();
    }

    /**
     * Closes the connection if there is no memory for an answer: the request may have taken effect, so that an error
     * would be wrong.
     */
    void send(int sequence, Response response) {
        try {
            IoBuffer bytes = encode(sequence, response);
            queued.addAndGet(bytes.limit());
            if (bytes.remaining() > COUNTED) {
                budget.takeAnyway(bytes.remaining());
                unread.addAndGet(bytes.remaining());
            }
            io.write(bytes);
        } catch (VirtualMachineError e) {
            io.closeNow();
            LOG.error("{}: no memory for an answer; closing the connection", io.getRemoteAddress(), e);
        }
    }

    /** Sends a few bytes that are no frame, for a client of another protocol. */
    void sendForeign(byte[] bytes) {
        queued.addAndGet(bytes.length);
        io.write(IoBuffer.wrap(bytes));
    }

    private static IoBuffer encode(int sequence, Response response) {
        WireWriter scratch = SCRATCH.get();
        Frame.writeTo(sequence, response, scratch);
        if (scratch.size() <= COPIED) {
            return IoBuffer.wrap(scratch.toByteArray());
        }
        SCRATCH.remove();
        return IoBuffer.wrap(scratch.array(), 0, scratch.size());
    }

    /** Releases the memory when all answers have been written, or the connection is closed. */
    void written() {
        long gone = unread.getAndSet(0);
        if (gone > 0) {
            budget.give(gone);
        }
    }

    /**
     * Disconnects a client that reads nothing of its answers for a time, if it has sent further requests, or holds
     * memory that is short.
     */
    void checkLimits() {
        boolean isNeeded = unread.get() > 0 && budget.taken() > budget.most() / 2;
        if ((isNeeded || paused.get() != null) && System.currentTimeMillis() - io.getLastWriteTime() > UNREAD_MILLIS) {
            LOG.warn(
                    "closing the connection of {}: it has read nothing of its answers for {} s, and {}",
                    io.getRemoteAddress(),
                    UNREAD_MILLIS / 1_000,
                    isNeeded ? "memory is short" : "has sent further requests (listen.limits.queued-per-client)");
            disconnected.run();
            io.closeNow();
        }
    }
}
