// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import static io.multimed.server.testing.Interleavings.requireEqual;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.server.communication.transport.ReceivedFrame;
import io.multimed.server.testing.Interleavings;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * In every order in which threads can take turns, a session handles one request at a time, loses none while it is open,
 * and releases its resources once.
 */
@Tag("interleaving")
class RequestQueueInterleavingTest {
    /** A session that handles requests as {@link ClientSession} does, on the thread that finds it not busy. */
    private static final class Session {
        private final MemoryBudget memory = new MemoryBudget(1_000);
        private final RequestQueue queue = new RequestQueue(1_000, () -> {});
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicInteger handled = new AtomicInteger();
        private final AtomicInteger released = new AtomicInteger();

        void receive() {
            ReceivedFrame frame = new ReceivedFrame(new byte[5], memory, 0);
            frame.reserve();
            if (queue.beginOrWait(frame)) {
                handle(frame);
            }
        }

        private void handle(ReceivedFrame first) {
            ReceivedFrame frame = first;
            while (frame != null) {
                requireEqual(running.incrementAndGet(), 1, "threads that handle a request");
                frame.release();
                handled.incrementAndGet();
                running.decrementAndGet();
                frame = queue.next(this::release);
            }
        }

        void disconnect() {
            if (!queue.disconnect()) {
                release();
            }
        }

        void expire() {
            if (queue.claimIfIdle(() -> 1)) {
                requireEqual(running.incrementAndGet(), 1, "threads that handle a request");
                running.decrementAndGet();
                handle(queue.next(this::release));
            }
        }

        private void release() {
            if (queue.beginClosing()) {
                requireEqual(running.get(), 0, "requests that run while the resources are released");
                released.incrementAndGet();
                queue.end();
            }
        }
    }

    @Test
    void shouldHandleAllRequestsOneAtATime() {
        Interleavings.check(() -> {
            Session session = new Session();
            Interleavings.run(session::receive, session::receive, session::expire);
            requireEqual(session.handled.get(), 2, "handled");
            requireEqual(session.memory.taken(), 0, "bytes taken");
            requireEqual(session.released.get(), 0, "released");
        });
    }

    @Test
    void shouldReleaseTheResourcesOnceWhenTheClientDisconnects() {
        Interleavings.check(() -> {
            Session session = new Session();
            AtomicInteger told = new AtomicInteger();
            Interleavings.run(
                    () -> {
                        session.receive();
                        session.receive();
                    },
                    session::disconnect,
                    () -> session.queue.whenEnded(told::incrementAndGet));
            requireEqual(session.released.get(), 1, "released");
            requireEqual(session.memory.taken(), 0, "bytes taken");
            requireEqual(told.get(), 1, "actions that have run at the end");
        });
    }

    @Test
    void shouldReleaseTheResourcesOnceWhenSeveralThreadsEndTheSession() {
        Interleavings.check(() -> {
            Session session = new Session();
            Interleavings.run(session::receive, session::disconnect, session::expire);
            requireEqual(session.released.get(), 1, "released");
            requireEqual(session.memory.taken(), 0, "bytes taken");
        });
    }
}
