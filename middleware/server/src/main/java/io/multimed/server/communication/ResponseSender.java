package io.multimed.server.communication;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.protocol.Frame;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.wire.WireWriter;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.session.IoSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sending side of one connection. Large answers count against the memory of all clients until they are written.
 * Thread-safe, provided that answers are sent one after the other.
 */
final class ResponseSender {
    private static final Logger LOG = LoggerFactory.getLogger(ResponseSender.class);

    /** Larger answers are counted. */
    private static final int COUNTED = 64 << 10;

    /** If memory is short, a client must read a part of a counted answer within this time. */
    private static final long UNREAD_MILLIS = 30_000;

    private static final ThreadLocal<WireWriter> SCRATCH = ThreadLocal.withInitial(WireWriter::new);

    private final IoSession io;
    private final MemoryBudget budget;

    /** Bytes of counted answers that are not written yet. */
    private final AtomicLong unread = new AtomicLong();

    ResponseSender(IoSession io, MemoryBudget budget) {
        this.io = io;
        this.budget = budget;
    }

    /**
     * Closes the connection if there is no memory for an answer: the request may have taken effect, so that an error
     * would be wrong.
     */
    void send(int sequence, Response response) {
        try {
            IoBuffer bytes = encode(sequence, response);
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

    /** Large answers are not copied. */
    private static IoBuffer encode(int sequence, Response response) {
        WireWriter scratch = SCRATCH.get();
        Frame.writeTo(sequence, response, scratch);
        if (scratch.size() <= COUNTED) {
            return IoBuffer.wrap(scratch.toByteArray());
        }
        SCRATCH.remove();
        return IoBuffer.wrap(scratch.array(), 0, scratch.size());
    }

    /** Called when all answers have been written, or the connection is closed. */
    void written() {
        long gone = unread.getAndSet(0);
        if (gone > 0) {
            budget.give(gone);
        }
    }

    /** Disconnects a client that holds memory by not reading an answer. */
    void look() {
        if (unread.get() > 0
                && budget.taken() > budget.most() / 2
                && System.currentTimeMillis() - io.getLastWriteTime() > UNREAD_MILLIS) {
            LOG.warn(
                    "closing the connection of {}: it has read nothing of a large answer for {} s, and memory is short",
                    io.getRemoteAddress(),
                    UNREAD_MILLIS / 1_000);
            io.closeNow();
        }
    }
}
