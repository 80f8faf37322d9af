// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.transport;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.server.communication.foreign.FirstBytes;
import io.multimed.server.communication.tls.TlsGate;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.mina.core.session.IoSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receiving side of one connection. While a frame waits for memory, it does not read from the socket, for a bounded
 * time. Every failure here, errors of the virtual machine included, ends only this connection, because the I/O thread
 * serves others, too.
 */
final class FrameReceiver {
    private static final Logger LOG = LoggerFactory.getLogger(FrameReceiver.class);

    /** SQLState of requests for which there is no memory. */
    static final String OUT_OF_MEMORY = "53200";

    /** Maximum time for which a frame waits for memory. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * A large frame must receive this many bytes per {@link #PROGRESS_NANOS}, because it holds memory that other
     * clients need.
     */
    private static final long PROGRESS_BYTES = 64 << 10;

    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final IoSession io;
    private final Consumer<ReceivedFrame> consumer;
    private final BiConsumer<String, String> terminator;
    private final FirstBytes first;
    private final MemoryBudget budget;
    private final Executor threads;
    private final Runnable goOn = this::goOn;

    /**
     * Protects the reader and the fields below. A thread that must not wait for the lock leaves its work to the holder:
     * see {@link #closed}.
     */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final FrameReader reader;

    /** Reading is suspended until memory is free. */
    @GuardedBy("lock")
    private boolean waits;

    /**
     * Time since which it has waited, or at which {@link #mark} was set for a large frame; by {@link System#nanoTime}.
     */
    @GuardedBy("lock")
    private long since = System.nanoTime();

    /** Number of bytes received at that time. */
    @GuardedBy("lock")
    private long mark;

    @GuardedBy("lock")
    private long came;

    private volatile boolean isClosed;

    /**
     * @param consumer receives each complete frame
     * @param terminator ends the session; receives the SQLState and the reason for the client
     * @param first decides whether the client sends frames
     * @param threads run the reader after it has waited for memory
     */
    FrameReceiver(
            IoSession io,
            Consumer<ReceivedFrame> consumer,
            BiConsumer<String, String> terminator,
            FirstBytes first,
            FrameReader reader,
            MemoryBudget budget,
            Executor threads) {
        this.io = io;
        this.consumer = consumer;
        this.terminator = terminator;
        this.first = first;
        this.reader = reader;
        this.budget = budget;
        this.threads = threads;
    }

    /** Handles received bytes. Called on the connection's I/O thread. */
    void received(ByteBuffer bytes) {
        lock.lock();
        try {
            came += bytes.remaining();
            if (waits) {
                reader.keep(bytes);
            } else {
                read(bytes);
            }
        } finally {
            lock.unlock();
        }
        cleanUp();
    }

    /** Continues after memory was reserved for this connection. */
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

    /** Reads a buffer, or continues with the kept bytes. A failure ends this connection only. */
    @GuardedBy("lock")
    private void read(@Nullable ByteBuffer bytes) {
        try {
            if (bytes == null || first.havePassed()) {
                readFrames(bytes);
            } else {
                readFirst(bytes);
            }
        } catch (ProtocolException e) {
            LOG.warn("{}: protocol violation: {}", io.getRemoteAddress(), e.getMessage());
            terminate("08P01", String.valueOf(e.getMessage()));
        } catch (RuntimeException | LinkageError | AssertionError | VirtualMachineError e) {
            isClosed = true;
            io.closeNow();
            LOG.error("{}: a request could not be read; closing the connection", io.getRemoteAddress(), e);
        }
    }

    /** Reads bytes that may belong to another protocol; frames without TLS are refused if the port requires TLS. */
    @GuardedBy("lock")
    private void readFirst(ByteBuffer bytes) {
        ByteBuffer own = first.check(bytes);
        if (own != null && TlsGate.isMissing(io)) {
            terminate(
                    "28000",
                    "this middleware accepts encrypted connections only: set sslMode=verify-full, or require, in the URL");
        } else if (own != null) {
            readFrames(own);
        }
    }

    @GuardedBy("lock")
    private void readFrames(@Nullable ByteBuffer bytes) {
        if (!(bytes == null ? reader.goOn(consumer) : reader.read(bytes, consumer))) {
            await();
        } else if (bytes == null) {
            io.resumeRead();
        }
    }

    @GuardedBy("lock")
    private void await() {
        long wanted = reader.wanted();
        if (wanted > budget.most()) {
            budget.countRefusal();
            terminate(
                    OUT_OF_MEMORY,
                    "a request does not fit in the middleware's memory: send fewer rows at once, or give the middleware more memory (-Xmx)");
        } else {
            io.suspendRead();
            waits = true;
            since = System.nanoTime();
            budget.whenFree(wanted, threads, goOn);
        }
    }

    /** Stops reading from this client. */
    private void terminate(String sqlState, String why) {
        isClosed = true;
        terminator.accept(sqlState, why);
    }

    /**
     * Called periodically: disconnects a client whose frame waits too long for memory, or whose large frame makes no
     * progress.
     */
    void checkLimits() {
        if (!lock.tryLock()) {
            return; // another thread is reading at the moment
        }
        try {
            long now = System.nanoTime();
            if (waits) {
                giveUpAfter(now - since);
            } else if (!reader.isInLargeFrame() || came - mark >= PROGRESS_BYTES) {
                mark = came;
                since = now;
            } else if (now - since > PROGRESS_NANOS) {
                terminate(
                        "08P01",
                        "only %d bytes of a request arrived within %d s"
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
            budget.countRefusal();
            terminate(
                    OUT_OF_MEMORY,
                    "no memory became free for a request within %d s, because other clients use it: send less at once, run it again later, or give the middleware more memory (-Xmx)"
                            .formatted(TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS)));
        }
    }

    /** Called when the connection is closed. */
    void closed() {
        isClosed = true;
        cleanUp();
    }

    /** Releases the memory after the connection was closed; the last holder of the lock does it. */
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
