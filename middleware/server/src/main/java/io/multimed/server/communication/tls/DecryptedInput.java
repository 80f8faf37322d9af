// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.tls;

import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The decrypted bytes of one connection, between the TLS filter and the session. The filter adds them while it holds
 * its lock; they are consumed after that, in order, by one thread at a time. Holds at most what one read of the socket
 * has delivered, because the socket is not read meanwhile.
 */
public final class DecryptedInput {
    private final Executor executor;
    private final Queue<ByteBuffer> buffers = new ConcurrentLinkedQueue<>();

    /** The number of calls of {@link #consume} that have not been served; the call that raises it from 0 serves all. */
    private final AtomicInteger pending = new AtomicInteger();

    /** The thread that runs the filter and will consume; null if there is none. */
    private volatile @Nullable Thread receiving;

    private volatile @Nullable Consumer<ByteBuffer> consumer;

    /** @param executor consumes the bytes that a thread of the TLS filter adds */
    DecryptedInput(Executor executor) {
        this.executor = executor;
    }

    /** Runs the filter on the connection's I/O thread, and then consumes what the filter has added. */
    void runBehind(Runnable filter) {
        receiving = Thread.currentThread();
        try {
            filter.run();
        } finally {
            receiving = null;
            consume();
        }
    }

    /** Adds bytes. Called by the filter. */
    public void add(ByteBuffer bytes, Consumer<ByteBuffer> to) {
        consumer = to;
        buffers.add(bytes);
        if (receiving != Thread.currentThread()) {
            executor.execute(this::consume);
        }
    }

    private void consume() {
        if (pending.getAndIncrement() > 0) {
            return; // the consuming thread looks again
        }
        int seen = 1;
        while (seen > 0) {
            ByteBuffer bytes = buffers.poll();
            while (bytes != null) {
                Consumer<ByteBuffer> to = consumer;
                if (to != null) {
                    to.accept(bytes);
                }
                bytes = buffers.poll();
            }
            seen = pending.addAndGet(-seen);
        }
    }
}
