package io.multimed.middleware.propagation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.middleware.extraction.Certification;
import io.multimed.middleware.writeset.Change;
import io.multimed.middleware.writeset.Scn;
import io.multimed.middleware.writeset.WriteSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Remembers under which SCN versions of rows came to be, of recent commits: so that of two transactions that have read the same version of a row, only one writes the next. Versions are known by
 * 64 bits of their text; should two be taken for one, a transaction is told to run again without need.
 *
 * <p>A version that a transaction changes is the last committed one, and whoever committed it released its lock before: so it is of an earlier commit group than the transaction's, and known
 * when that group is published.
 */
public final class Certifier {
    /** Of each generation. Two of them take some 30 MB. */
    private static final int VERSIONS = 150_000;

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private final Publisher publisher;
    private final GroupCommitOrder order;

    /** Protects all that is remembered; held for the rows of one WriteSet. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private Map<Long, Scn> recent = new HashMap<>();

    @GuardedBy("lock")
    private Map<Long, Scn> older = Map.of();

    /** Large WriteSets, of which it is not known what they changed, after {@link #forgotten}. */
    @GuardedBy("lock")
    private final TreeSet<Scn> unknown = new TreeSet<>();

    /** The last one of the generation before {@link #recent}. */
    @GuardedBy("lock")
    private Scn turned = Scn.ZERO;

    /** Of commits up to this one some may be missing. */
    @GuardedBy("lock")
    private Scn forgotten;

    /** @param last where the order stands: nothing is known of what came before */
    Certifier(Publisher publisher, GroupCommitOrder order, Scn last) {
        this.publisher = publisher;
        this.order = order;
        this.forgotten = last;
    }

    /** A commit, in their order, before it is published. */
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

    /** @param seen all commits up to this one are in the transaction's snapshot, whenever it was taken */
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

        /** The transaction's own is the one that commits now. */
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
