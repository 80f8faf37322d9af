// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.benchmark.MultimedBenchmark;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.CriticalThreads;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/**
 * The commit order (architecture 4.2) without an engine: each thread is a client that commits, and waits for the
 * answer. Lies in this package because only the package can create a {@link GroupCommitOrder}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class CommitOrderBenchmark extends MultimedBenchmark {
    private static final int MAX_CLIENTS = 64;

    /** The parts of a commit's path that run. */
    public enum Path {
        /** The order alone: members commit on clients' threads, and are answered at once. */
        ORDER,
        /** The order and the publisher, whose thread answers. */
        PUBLISHER,
        /** Each member also commits on another thread, as on the thread of its connection. */
        CONNECTION_THREADS
    }

    @Param
    public Path path = Path.ORDER;

    private final AtomicLong scns = new AtomicLong();
    private final CriticalThreads criticalThreads = new CriticalThreads();
    private final Publisher publisher = new Publisher(Scn.ZERO, new InMemoryLog(), row -> List.of(), criticalThreads);
    private final ExecutorService connections = Executors.newFixedThreadPool(MAX_CLIENTS);
    private GroupCommitOrder order = order(publisher);

    private GroupCommitOrder order(GroupCommitOrder.Committed committed) {
        return new GroupCommitOrder(Integer.MAX_VALUE, false, committed, failure -> false, criticalThreads);
    }

    @Setup
    public void start() {
        if (path == Path.ORDER) {
            order = order(new Answering());
        }
        publisher.start();
    }

    @TearDown
    public void close() {
        publisher.close();
        connections.shutdown();
    }

    @Benchmark
    public Scn oneClient() {
        return commit();
    }

    @Benchmark
    @Threads(8)
    public Scn eightClients() {
        return commit();
    }

    @Benchmark
    @Threads(MAX_CLIENTS)
    public Scn sixtyFourClients() {
        return commit();
    }

    private Scn commit() {
        Member member = new Member();
        order.commit(member);
        return member.answer.join();
    }

    private final class Member implements CommitMember {
        private final CompletableFuture<Scn> answer = new CompletableFuture<>();

        @Override
        public void submit(Runnable work) {
            if (runsOnAnyThread()) {
                work.run();
            } else {
                connections.execute(work);
            }
        }

        @Override
        public boolean runsOnAnyThread() {
            return path != Path.CONNECTION_THREADS;
        }

        @Override
        public Optional<WriteSet> sealAndCommit() {
            return Optional.of(new WriteSet(new Scn(scns.incrementAndGet()), List.of(), null, 100));
        }

        @Override
        public Receipt receipt() {
            return Receipt.NONE;
        }

        @Override
        public int engineSession() {
            return 0;
        }

        @Override
        public void published(Scn scn) {
            answer.complete(scn);
        }

        @Override
        public void failed(SQLException cause) {
            answer.completeExceptionally(cause);
        }
    }

    /** Answers the members of a group immediately. */
    private static final class Answering implements GroupCommitOrder.Committed {
        @Override
        public void enqueue(CommitGroup group) {
            group.notifications((action, lost) -> action.run(), () -> Scn.ZERO).forEach(Runnable::run);
        }

        @Override
        public boolean claim(CommitGroup group) {
            return false;
        }

        @Override
        public void publishClaimed(CommitGroup group) {
            enqueue(group);
        }

        @Override
        public void whenPublished(long group, Runnable action) {
            action.run();
        }

        @Override
        public Scn awaitPublished(long group) {
            return Scn.ZERO;
        }
    }

    private static final class InMemoryLog implements Durability {
        @Override
        public void makeDurable(List<CommitGroup> groups) {}

        @Override
        public boolean isDurable(CommitGroup group) {
            return group.isDurable();
        }

        @Override
        public void durableAlready(CommitGroup group) {}

        @Override
        public List<WriteSet> readBypassing(Scn after, Scn upTo) {
            throw new IllegalStateException("nothing bypasses the order, but SCNs are missing after " + after);
        }
    }
}
