// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.Engines;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.model.value.CoreSet;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The reads of these tests need no engine: a lane only passes its lease on. */
@Timeout(60)
class ReadLanesTest {
    private static final long NEVER = TimeUnit.HOURS.toMillis(1);
    private static final int CONNECTIONS = 4;

    /** Sizes of the messages, in the order in which they ran. */
    private final ConcurrentLinkedQueue<Integer> messages = new ConcurrentLinkedQueue<>();

    private final AtomicInteger done = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    /** Has one lane, which is neither blocked nor late, however slow the machine is. */
    private ComputationalNode node = node("0", NEVER, NEVER);

    @AfterEach
    void stop() {
        node.close();
    }

    /** @param cores one for each lane */
    private static ComputationalNode node(String cores, long blockedMillis, long lateMillis) {
        return new ComputationalNode(
                "node",
                0,
                CoreSet.parse(cores),
                Engines.of("postgresql"),
                CONNECTIONS,
                new MemoryBudget(1 << 20),
                new CriticalThreads(),
                new ReadLanes.Limits(1, blockedMillis, lateMillis));
    }

    private void use(ComputationalNode other) {
        node.close();
        node = other;
    }

    private void open() {
        node.attach(new UnusedConnections());
    }

    /** A read that calls an action instead of an engine. */
    private final class TestRead implements ReadLanes.Read {
        private final Object group;
        private final Consumer<Lease> action;
        private final AtomicInteger canceled = new AtomicInteger();

        TestRead(Object group, Consumer<Lease> action) {
            this.group = group;
            this.action = action;
        }

        @Override
        public Object group() {
            return group;
        }

        @Override
        public boolean readTogether(Lease lane, List<ReadLanes.Read> together) {
            messages.add(together.size());
            action.accept(lane);
            done.addAndGet(together.size());
            return true;
        }

        @Override
        public void cancelTogether() {
            canceled.incrementAndGet();
        }

        @Override
        public void refused(SQLException cause) {
            refused.incrementAndGet();
        }
    }

    private void submit(Object group) {
        node.lanes().submit(new TestRead(group, lane -> {}));
    }

    /** Occupies the lane until the returned latch is counted down. */
    private CountDownLatch block(Object group) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        node.lanes().submit(new TestRead(group, lane -> {
            begun.countDown();
            awaitLatch(mayEnd);
        }));
        begun.await();
        return mayEnd;
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void awaitDone(int count) {
        await("the reads have run").until(() -> done.get() == count);
    }

    @Test
    void shouldRunReadsOfOneGroupTogetherInPowersOfTwo() throws Exception {
        open();
        CountDownLatch mayEnd = block("first");
        for (int i = 0; i < 7; i++) {
            submit("a");
        }
        mayEnd.countDown();
        awaitDone(8);
        int largest = messages.stream().mapToInt(Integer::intValue).max().orElseThrow();
        assertThat(largest).isEqualTo(4);
        assertThat(messages).allMatch(size -> Integer.bitCount(size) == 1);
    }

    @Test
    void shouldNotMixGroupsAndLetThemTakeTurns() throws Exception {
        open();
        List<Object> order = new ArrayList<>();
        CountDownLatch mayEnd = block("first");
        for (Object group : List.of("a", "a", "a", "b", "c")) {
            node.lanes().submit(new TestRead(group, lane -> order.add(group)));
        }
        mayEnd.countDown();
        awaitDone(6);
        assertThat(order).containsSubsequence("a", "b", "c").containsExactlyInAnyOrder("a", "b", "c", "a");
    }

    @Test
    void shouldReplaceALaneThatIsBlocked() throws Exception {
        use(node("0", 20, NEVER));
        open();
        CountDownLatch mayEnd = block("long");
        submit("short"); // no further read arrives that could notice the blocked lane
        awaitDone(1);
        mayEnd.countDown();
        awaitDone(2);
        await("no connection is in use").until(() -> node.active() == 0);
    }

    @Test
    void shouldCancelReadsThatTakeLongTogetherOnce() throws Exception {
        use(node("0-1", NEVER, 20));
        open();
        CountDownLatch freesOneLane = block("one");
        CountDownLatch freesOtherLane = block("other");
        CountDownLatch mayEnd = new CountDownLatch(1);
        TestRead first = submitTwo(mayEnd);
        freesOneLane.countDown();
        await("the reads are canceled").until(() -> first.canceled.get() > 0);
        TestRead second = submitTwo(mayEnd);
        freesOtherLane.countDown();
        await("the reads on the other lane are canceled").until(() -> second.canceled.get() > 0);
        assertThat(first.canceled).hasValue(1);
        mayEnd.countDown();
        awaitDone(6);
    }

    /** Submits two reads that run together and last until the latch is counted down; returns the first of them. */
    private TestRead submitTwo(CountDownLatch mayEnd) {
        TestRead first = new TestRead("long", lane -> awaitLatch(mayEnd));
        node.lanes().submit(first);
        node.lanes().submit(new TestRead("long", lane -> {}));
        return first;
    }

    @Test
    void shouldGiveOtherTransactionsTheirTurn() throws Exception {
        open();
        List<Lease> leases = new ArrayList<>();
        CountDownLatch mayEnd = block("first");
        for (int i = 0; i < 4; i++) { // with the lane, more requests than connections
            node.lease(new LeaseRequest() {
                @Override
                public void leased(Lease lease) {
                    synchronized (leases) {
                        leases.add(lease);
                    }
                }

                @Override
                public void refused(SQLException cause) {
                    refused.incrementAndGet();
                }
            });
        }
        for (int i = 0; i < 2_000; i++) {
            submit(new Object());
        }
        mayEnd.countDown();
        await("the last transaction has a connection").until(() -> {
            synchronized (leases) {
                return leases.size() == 4;
            }
        });
        int before = done.get();
        synchronized (leases) {
            leases.forEach(Lease::release);
        }
        awaitDone(2_001);
        assertThat(before).isLessThan(2_001);
    }

    @Test
    void shouldRefuseReadsOfANodeWithoutConnections() {
        submit("a");
        await("the read is refused").until(() -> refused.get() == 1);
        open();
        submit("a");
        awaitDone(1);
    }

    @Test
    void shouldRefuseReadsOfANodeThatIsDrained() throws Exception {
        open();
        CountDownLatch mayEnd = block("first");
        node.admit(false);
        submit("a");
        mayEnd.countDown();
        await("the read has an outcome").until(() -> refused.get() + done.get() == 2);
        submit("b");
        await("the read is refused").until(() -> refused.get() >= 1);
    }

    @Test
    void shouldNotUseAConnectionAfterItMustBeRenewed() throws Exception {
        open();
        ConcurrentLinkedQueue<Lease> used = new ConcurrentLinkedQueue<>();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        node.lanes().submit(new TestRead("a", lane -> {
            used.add(lane);
            begun.countDown();
            awaitLatch(mayEnd);
        }));
        begun.await();
        node.renewConnections();
        node.lanes().submit(new TestRead("b", used::add));
        mayEnd.countDown();
        awaitDone(2);
        assertThat(used).hasSize(2).doesNotHaveDuplicates();
        await("no connection is in use").until(() -> node.active() == 0);
    }

    @Test
    void shouldCountWaitingReadsAsLoad() throws Exception {
        open();
        CountDownLatch mayEnd = block("first");
        double before = node.load();
        submit("a");
        submit("b");
        double after = node.load();
        mayEnd.countDown();
        awaitDone(3);
        assertThat(after - before).isEqualTo(2.0 / CONNECTIONS);
        await("no connection is in use").until(() -> node.load() == 0);
    }

    @Test
    void shouldContinueAfterADefect() {
        open();
        node.lanes().submit(new TestRead("a", lane -> {
            throw new IllegalStateException("a defect that the test expects");
        }));
        submit("b");
        awaitDone(1);
        await("no connection is in use").until(() -> node.active() == 0);
    }

    /** Connections that accept a close, and nothing else. */
    private static final class UnusedConnections implements ConnectionPool {
        private static Object unwrap(Object proxy, Class<?> type) throws SQLException {
            if (type.isInstance(proxy)) {
                return proxy;
            }
            throw new SQLException("this connection has no engine");
        }

        @Override
        public Connection getConnection() {
            return (Connection) Proxy.newProxyInstance(
                    ReadLanesTest.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> proxy == arguments[0];
                        case "isClosed", "getAutoCommit" -> true;
                        case "close", "clearWarnings" -> null;
                        case "unwrap" -> unwrap(proxy, (Class<?>) arguments[0]);
                        default -> throw new IllegalStateException(method.getName());
                    });
        }

        @Override
        public boolean isEmpty() {
            return true;
        }

        @Override
        public void evict(Connection leased) {}

        @Override
        public void renew() {}

        @Override
        public boolean isStarved() {
            return false;
        }

        @Override
        public void close() {}
    }
}
