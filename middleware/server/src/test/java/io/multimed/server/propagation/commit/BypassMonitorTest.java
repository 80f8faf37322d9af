// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.master.BypassStore;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.CriticalThreads;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client has seen on the master may be undone if all connections from before have ended. */
@Timeout(60)
class BypassMonitorTest {
    private final CriticalThreads critical = new CriticalThreads();
    private final Set<Connection> working = ConcurrentHashMap.newKeySet();
    private volatile CountDownLatch mayOpen = new CountDownLatch(0);
    private Publisher publisher;
    private BypassMonitor monitor;

    /** Commits are positions in the log of a master that has none. */
    private final class Log implements BypassStore {
        @Override
        public Scn last(Connection master) throws SQLException {
            return latest(master).scn();
        }

        @Override
        public Latest latest(Connection master) throws SQLException {
            if (!working.contains(master)) {
                throw new SQLException("the connection is broken", "08006");
            }
            return new Latest(new Scn(7), 0);
        }

        @Override
        public Optional<WriteSet> writeSet(Scn last, boolean changesSchema) {
            return Optional.of(WriteSet.inLog(changesSchema));
        }

        @Override
        public List<WriteSet> sealed(Connection master, Scn after, Scn upTo, int limit) {
            return List.of();
        }

        @Override
        public void listen(Connection connection) {}

        @Override
        public void awaitNext(Connection listening, int millis) throws SQLException {
            try {
                TimeUnit.DAYS.sleep(1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SQLException("interrupted", "57014", e);
            }
        }

        @Override
        public Optional<Holder> holder(Connection master) {
            return Optional.empty();
        }

        @Override
        public void end(Connection master, Holder holder) {}
    }

    private static final class Disk implements TestDurability {
        @Override
        public List<WriteSet> readBypassing(Scn after, Scn upTo) {
            return List.of();
        }
    }

    private Connection connection() {
        try {
            mayOpen.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Connection fresh = (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getAutoCommit" -> true;
                    case "isValid" -> working.contains(proxy);
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> null;
                });
        working.add(fresh);
        return fresh;
    }

    @BeforeEach
    void start() {
        publisher = new Publisher(Scn.ZERO, new Disk(), row -> List.of(), critical);
        publisher.start();
        GroupCommitOrder order = new GroupCommitOrder(16, false, publisher, failure -> false, critical);
        monitor = new BypassMonitor(new Log(), this::connection, order, publisher, Runnable::run, critical);
        monitor.start();
        assertThat(ask()).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo("published");
        await("the listener, the monitor and its spare are connected").until(() -> working.size() == 3);
    }

    @AfterEach
    void stop() {
        monitor.close();
        publisher.close();
    }

    private CompletableFuture<String> ask() {
        CompletableFuture<String> answer = new CompletableFuture<>();
        monitor.whenPublished(() -> answer.complete("published"), () -> answer.complete("lost"));
        return answer;
    }

    @Test
    void shouldReportALossToClientsThatHaveReadBeforeTheMasterWasReachedAgain() {
        long before = publisher.lossCount();
        mayOpen = new CountDownLatch(1);
        working.clear();
        assertThat(ask()).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo("lost");
        CompletableFuture<String> meanwhile = ask();
        mayOpen.countDown();
        assertThat(meanwhile).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo("lost");
        assertThat(publisher.lossCount()).isGreaterThan(before);
        assertThat(ask()).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo("published");
    }

    /** An operator may end any connection. */
    @Test
    void shouldNotReportALossIfOneOfTwoConnectionsIsLeft() {
        long before = publisher.lossCount();
        working.remove(working.iterator().next());
        assertThat(ask()).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo("published");
        assertThat(publisher.lossCount()).isEqualTo(before);
    }

    /** The position is asked on another connection: the client of a read that begins has seen nothing yet. */
    @Test
    void shouldAnswerAQuestionBeforeARead() {
        working.clear();
        CompletableFuture<String> answer = new CompletableFuture<>();
        monitor.whenLatestPublished(() -> answer.complete("published"), () -> answer.complete("failed"));
        assertThat(answer).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo("published");
    }
}
