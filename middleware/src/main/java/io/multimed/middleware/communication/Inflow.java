package io.multimed.middleware.communication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.middleware.node.MemoryBudget;
import io.multimed.protocol.ProtocolException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.mina.core.session.IoSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What comes over one connection. While there is no room for a frame nothing is read from the socket, for a bounded time. Whatever goes wrong here, errors of the virtual machine included, ends
 * this one connection: the I/O thread serves all others, too.
 */
final class Inflow {
    private static final Logger LOG = LoggerFactory.getLogger(Inflow.class);

    /** How long a frame waits for memory. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** A large frame that has begun must bring so many bytes within so long: it keeps memory from others. */
    private static final long PROGRESS_BYTES = 64 << 10;

    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final IoSession io;
    private final ClientSession client;
    private final MemoryBudget budget;
    private final Executor threads;
    private final Runnable goOn = this::goOn;

    /** Protects the reader and the fields below. Whoever finds it held, and may not wait, leaves its work to the holder: see {@link #closed}. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final FrameReader reader;

    /** Nothing is read from the socket, for want of memory. */
    @GuardedBy("lock")
    private boolean waits;

    /** Since when it waits, or has had a large frame at {@link #mark}; by {@link System#nanoTime}. */
    @GuardedBy("lock")
    private long since;

    /** What had come of all frames then. */
    @GuardedBy("lock")
    private long mark;

    @GuardedBy("lock")
    private long came;

    private volatile boolean isClosed;

    /** @param threads where reading goes on after it has waited for memory */
    Inflow(IoSession io, ClientSession client, FrameReader reader, MemoryBudget budget, Executor threads) {
        this.io = io;
        this.client = client;
        this.reader = reader;
        this.budget = budget;
        this.threads = threads;
    }

    /** Bytes came. Called on the connection's I/O thread. */
    void received(ByteBuffer bytes) {
        lock.lock();
        try {
            came += bytes.remaining();
            read(bytes);
        } finally {
            lock.unlock();
        }
        cleanUp();
    }

    /** There is room now, which is taken for this connection. */
    private void goOn() {
        lock.lock();
        try {
            waits = false;
            if (isClosed) {
                budget.give(reader.wanted());
            } else {
                since = System.nanoTime();
                read(null);
            }
        } finally {
            lock.unlock();
        }
        cleanUp();
    }

    /** Reads a buffer, or goes on with what was kept aside. A failure is this client's. */
    @GuardedBy("lock")
    private void read(@Nullable ByteBuffer bytes) {
        try {
            if (!(bytes == null ? reader.goOn(client::received) : reader.read(bytes, client::received))) {
                await();
            } else if (bytes == null) {
                io.resumeRead();
            }
        } catch (ProtocolException e) {
            LOG.warn("{}: not of the protocol: {}", io.getRemoteAddress(), e.getMessage());
            breakOff("08P01", String.valueOf(e.getMessage()));
        } catch (RuntimeException | LinkageError | AssertionError | VirtualMachineError e) {
            isClosed = true;
            io.closeNow();
            LOG.error("{}: what it sent could not be read; it is hung up on", io.getRemoteAddress(), e);
        }
    }

    @GuardedBy("lock")
    private void await() {
        long wanted = reader.wanted();
        if (wanted > budget.most()) {
            breakOff(
                    RequestReader.OUT_OF_MEMORY,
                    "a request does not fit in the middleware's memory: send fewer rows at once, or give it more (-Xmx)");
        } else {
            io.suspendRead();
            waits = true;
            since = System.nanoTime();
            budget.whenFree(wanted, threads, goOn);
        }
    }

    /** Nothing more is read of this client. */
    private void breakOff(String sqlState, String why) {
        isClosed = true;
        client.breakOff(sqlState, why);
    }

    /** Called now and then: hangs up on a client whose frame waits for memory for too long, or does not go on. */
    void look() {
        if (!lock.tryLock()) {
            return; // somebody reads
        }
        try {
            long now = System.nanoTime();
            if (waits) {
                giveUpAfter(now - since);
            } else if (!reader.isInLargeFrame() || came - mark >= PROGRESS_BYTES) {
                mark = came;
                since = now;
            } else if (now - since > PROGRESS_NANOS) {
                breakOff(
                        "08P01",
                        "a request of which no more than %d bytes came within %d s"
                                .formatted(came - mark, TimeUnit.NANOSECONDS.toSeconds(PROGRESS_NANOS)));
            }
        } finally {
            lock.unlock();
        }
        cleanUp();
    }

    @GuardedBy("lock")
    private void giveUpAfter(long waited) {
        if (waited > PATIENCE_NANOS && budget.forget(goOn)) {
            waits = false;
            breakOff(
                    RequestReader.OUT_OF_MEMORY,
                    "no memory is free for a request within %d s: other clients have it; send less at once, run it again later, or give the middleware more (-Xmx)"
                            .formatted(TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS)));
        }
    }

    /** Nothing comes any more. */
    void closed() {
        isClosed = true;
        cleanUp();
    }

    /** The last one who holds the lock gives the memory back. */
    private void cleanUp() {
        if (!isClosed || !lock.tryLock()) {
            return;
        }
        try {
            if (!waits || budget.forget(goOn)) {
                waits = false;
                reader.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
