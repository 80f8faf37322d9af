package io.multimed.middleware.communication;

import io.multimed.middleware.node.MemoryBudget;
import io.multimed.protocol.Frame;
import io.multimed.protocol.Response;
import io.multimed.protocol.WireWriter;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.session.IoSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What goes over one connection. Large answers count against the memory of all clients until they are read. Thread-safe, as far as one answer is given after the other. */
final class Outflow {
    private static final Logger LOG = LoggerFactory.getLogger(Outflow.class);

    /** Answers that are larger are counted. */
    private static final int COUNTED = 64 << 10;

    /** How long a client may read nothing of such an answer when memory is short. */
    private static final long UNREAD_MILLIS = 30_000;

    private static final ThreadLocal<WireWriter> SCRATCH = ThreadLocal.withInitial(WireWriter::new);

    private final IoSession io;
    private final MemoryBudget budget;

    /** Bytes of counted answers that are not written yet. */
    private final AtomicLong unread = new AtomicLong();

    Outflow(IoSession io, MemoryBudget budget) {
        this.io = io;
        this.budget = budget;
    }

    /** Without memory for an answer the client is hung up on: what it asked for may be done, so it must not be told that it failed. */
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
            LOG.error("{}: no memory for an answer; its client is hung up on", io.getRemoteAddress(), e);
        }
    }

    /** Large ones are not copied. */
    private static IoBuffer encode(int sequence, Response response) {
        WireWriter scratch = SCRATCH.get();
        Frame.writeTo(sequence, response, scratch);
        if (scratch.size() <= COUNTED) {
            return IoBuffer.wrap(scratch.toByteArray());
        }
        SCRATCH.remove();
        return IoBuffer.wrap(scratch.array(), 0, scratch.size());
    }

    /** All that was sent is on its way to the client, or never will be. */
    void written() {
        long gone = unread.getAndSet(0);
        if (gone > 0) {
            budget.give(gone);
        }
    }

    /** Hangs up on a client that keeps memory from others with an answer that it does not read. */
    void look() {
        if (unread.get() > 0
                && budget.taken() > budget.most() / 2
                && System.currentTimeMillis() - io.getLastWriteTime() > UNREAD_MILLIS) {
            LOG.warn(
                    "{} is hung up on: it has read nothing of a large answer for {} s, and memory is short",
                    io.getRemoteAddress(),
                    UNREAD_MILLIS / 1_000);
            io.closeNow();
        }
    }
}
