// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.CriticalThreads;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Publishes the commits of a simulated master with the publisher of the middleware. Used by one thread. */
public final class DirectPublisher implements AutoCloseable {
    private final List<WriteSet> bypassing = new ArrayList<>();
    private final Publisher publisher;
    private long groups;

    /** What one transaction has changed. */
    public record Commit(List<Change> changes, @Nullable Spill spill) {
        WriteSet as(long scn) {
            return new WriteSet(new Scn(scn), changes, spill, 10);
        }
    }

    private record Member(WriteSet writeSet, CompletableFuture<Scn> told) implements TestMember {
        @Override
        public Optional<WriteSet> sealAndCommit() {
            return Optional.of(writeSet);
        }

        @Override
        public void published(Scn scn) {
            told.complete(scn);
        }

        @Override
        public void failed(SQLException cause) {
            told.completeExceptionally(cause);
        }
    }

    /** All commits are on disk. */
    private final class Log implements TestDurability {
        @Override
        public List<WriteSet> readBypassing(Scn after, Scn upTo) {
            return bypassing.stream()
                    .filter(each -> each.scn().isAfter(after) && !each.scn().isAfter(upTo))
                    .limit(MAX_BYPASSING)
                    .toList();
        }
    }

    /** @param rowValues returns the values of a captured row */
    public DirectPublisher(Function<String, List<@Nullable String>> rowValues) {
        publisher = new Publisher(Scn.ZERO, new Log(), rowValues, new CriticalThreads());
        publisher.start();
    }

    public Publisher publisher() {
        return publisher;
    }

    /** Returns how many commits must bypass the middleware so that they are published in several portions. */
    public static int portion() {
        return Durability.MAX_BYPASSING;
    }

    /**
     * Publishes a commit, and before it those that have bypassed the middleware. The publisher's thread works while
     * this method waits.
     */
    public void publish(List<Commit> bypassed, Commit last) {
        long scn = publisher.published().value();
        for (Commit each : bypassed) {
            scn++;
            bypassing.add(each.as(scn));
        }
        Member member = new Member(last.as(scn + 1), new CompletableFuture<>());
        groups++;
        CommitGroup group = new CommitGroup(groups, List.of(member), failure -> false);
        group.commit(0);
        publisher.enqueue(group);
        try {
            member.told.get(60, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
        bypassing.clear();
    }

    @Override
    public void close() {
        publisher.close();
    }
}
