// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import static io.multimed.server.testing.Interleavings.require;
import static io.multimed.server.testing.Interleavings.requireEqual;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.testing.Interleavings;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * In every order in which threads can take turns, groups are published one at a time, in commit order and once, whether
 * the thread that has committed a group publishes the group or the publisher's thread does.
 */
@Tag("interleaving")
class PublisherInterleavingTest {
    /** A commit order whose groups have one member each. */
    private static final class Order {
        private final Publisher publisher;

        /** Protects {@link #last}; the publisher receives groups in this order, as in {@link GroupCommitOrder}. */
        private final ReentrantLock lock = new ReentrantLock();

        private long last;

        private final AtomicInteger publishing = new AtomicInteger();
        private final AtomicLong published = new AtomicLong();
        private final AtomicInteger told = new AtomicInteger();
        private final CountDownLatch answers;

        /** @param durable whether commits wait for the disk themselves */
        Order(int commits, boolean durable) {
            answers = new CountDownLatch(commits);
            publisher = new Publisher(Scn.ZERO, new Disk(durable), row -> List.of(), new CriticalThreads());
            publisher.onCommit(this::publish);
            publisher.start();
        }

        private void publish(WriteSet writeSet) {
            requireEqual(publishing.incrementAndGet(), 1, "threads that publish");
            requireEqual(writeSet.scn().value(), published.incrementAndGet(), "published SCN");
            publishing.decrementAndGet();
        }

        void commit() {
            CommitGroup group;
            boolean claimed;
            lock.lock();
            try {
                last++;
                Scn scn = new Scn(last);
                group = new CommitGroup(last, List.of(new Member(this, scn)), failure -> false);
                group.commit(0);
                claimed = publisher.claim(group);
                if (!claimed) {
                    publisher.enqueue(group);
                }
            } finally {
                lock.unlock();
            }
            if (claimed) {
                publisher.publishClaimed(group);
            }
        }

        void end() {
            try {
                answers.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            requireEqual(told.get(), last, "answers");
            requireEqual(publisher.published().value(), last, "published SCN");
            publisher.close();
        }
    }

    private record Disk(boolean durable) implements TestDurability {
        @Override
        public boolean isDurable(CommitGroup group) {
            return durable;
        }

        @Override
        public List<WriteSet> readBypassing(Scn after, Scn upTo) {
            throw new AssertionError("no transaction bypasses the middleware");
        }
    }

    private record Member(Order order, Scn scn) implements TestMember {
        @Override
        public Scn bypassedUpTo() {
            return Scn.ZERO;
        }

        @Override
        public Optional<WriteSet> sealAndCommit() {
            return Optional.of(new WriteSet(scn, List.of(), null, 10));
        }

        @Override
        public void published(Scn end) {
            require(!scn.isAfter(order.publisher.published()), "answer before the publication of SCN", scn.value());
            order.told.incrementAndGet();
            order.answers.countDown();
        }

        @Override
        public void failed(SQLException cause) {
            throw new AssertionError(cause);
        }
    }

    private static void check(int commits, boolean durable) {
        Interleavings.check(() -> {
            Order order = new Order(commits, durable);
            Runnable[] clients = new Runnable[commits];
            for (int i = 0; i < commits; i++) {
                clients[i] = order::commit;
            }
            Interleavings.run(clients);
            order.end();
        });
    }

    @Test
    void shouldPublishEachGroupOnceInOrder() {
        check(2, true);
        check(2, false);
    }

    @Test
    void shouldPublishThreeGroupsInOrder() {
        check(3, true);
    }

    /** An action that waits for a group runs once, when the group is published. */
    @Test
    void shouldRunWaitingActionsOnce() {
        Interleavings.check(() -> {
            Order order = new Order(1, true);
            AtomicInteger ran = new AtomicInteger();
            Interleavings.run(
                    order::commit,
                    () -> order.publisher.whenPublished(1, () -> {
                        requireEqual(order.publisher.published().value(), 1, "published SCN");
                        ran.incrementAndGet();
                    }));
            order.end();
            requireEqual(ran.get(), 1, "runs of the action");
        });
    }
}
