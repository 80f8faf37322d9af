// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.extraction.Certification;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the SCNs at which versions of rows were created by recent commits, so that of two transactions that have
 * read the same version of a row, only one can write the next. A version is identified by a 64-bit hash of its text; a
 * collision makes a transaction fail with 40001 unnecessarily.
 *
 * <p>A version that a transaction changes is the last committed one, and the transaction that committed it had released
 * its lock before. It therefore belongs to an earlier commit group, and is known when that group is published.
 */
public final class Certifier {
    /** Maximum number of versions per generation. Two generations take about 30 MB. */
    private static final int VERSIONS = 150_000;

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private final Publisher publisher;
    private final GroupCommitOrder order;

    /** Protects all remembered versions; held for the rows of one WriteSet. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private Map<Long, Scn> recent = new HashMap<>();

    @GuardedBy("lock")
    private Map<Long, Scn> older = Map.of();

    /** Large WriteSets, whose changes are not known, after {@link #forgotten}. */
    @GuardedBy("lock")
    private final TreeSet<Scn> unknown = new TreeSet<>();

    /** The last commit of the generation before {@link #recent}. */
    @GuardedBy("lock")
    private Scn turned = Scn.ZERO;

    /** Versions of commits up to this one may be missing. */
    @GuardedBy("lock")
    private Scn forgotten;

    /** @param last the current end of the commit order: earlier versions are not known */
    Certifier(Publisher publisher, GroupCommitOrder order, Scn last) {
        this.publisher = publisher;
        this.order = order;
        this.forgotten = last;
    }

    /** Records a commit, in commit order, before it is published. */
    void committed(WriteSet writeSet) {
        lock.lock();
        try {
            if (writeSet.spill() != null) {
                unknown.add(writeSet.scn());
            }
            for (Change change : writeSet.changes()) {
                if (change instanceof Change.RowChange row && row.after() != null) {
                    recent.put(version(row.relation(), row.after()), writeSet.scn());
                }
            }
            if (recent.size() + unknown.size() > VERSIONS) {
                turn(writeSet.scn());
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void turn(Scn last) {
        forgotten = turned.isAfter(forgotten) ? turned : forgotten;
        turned = last;
        older = recent;
        recent = new HashMap<>();
        unknown.headSet(forgotten, true).clear();
    }

    private @Nullable Scn maker(long version) {
        lock.lock();
        try {
            Scn maker = recent.get(version);
            return maker == null ? older.get(version) : maker;
        } finally {
            lock.unlock();
        }
    }

    /** @param seen all commits up to this one are in the transaction's snapshot, regardless of its start */
    public Certification certification(Scn seen) {
        return new OfOne(seen);
    }

    private final class OfOne implements Certification {
        private final Scn seen;
        private final Set<Long> versions = new HashSet<>();

        OfOne(Scn seen) {
            this.seen = seen;
        }

        @Override
        public void wroteOver(long relation, @Nullable String before) {
            if (before != null) {
                versions.add(version(relation, before));
            }
        }

        @Override
        public Set<Scn> suspects() throws SQLException {
            if (versions.isEmpty()) {
                return Set.of();
            }
            awaitEarlierGroups();
            Set<Scn> suspects = unknownSince();
            for (long version : versions) {
                Scn maker = maker(version);
                if (maker != null && maker.isAfter(seen)) {
                    suspects.add(maker);
                }
            }
            return suspects;
        }

        /** The transaction itself belongs to the group that commits now. */
        private void awaitEarlierGroups() throws SQLException {
            try {
                publisher.awaitPublished(order.begun() - 1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SQLException("the middleware is stopping", "57P01", e);
            }
        }

        private Set<Scn> unknownSince() throws SQLException {
            lock.lock();
            try {
                if (forgotten.isAfter(seen)) {
                    throw new SQLException(
                            "the transaction is too old to check for conflicts with other commits; run it again",
                            "40001");
                }
                return new HashSet<>(unknown.tailSet(seen, false));
            } finally {
                lock.unlock();
            }
        }
    }

    private static long version(long relation, String row) {
        long hash = (FNV_OFFSET ^ relation) * FNV_PRIME;
        for (int i = 0; i < row.length(); i++) {
            hash = (hash ^ row.charAt(i)) * FNV_PRIME;
        }
        return hash;
    }
}
