package io.multimed.server.propagation.freshness;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.sql.TableNames;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The last published SCN that changed each table, from which follows what a read that stands alone needs (architecture
 * 4.1): a satellite shows the same rows of a table at two SCNs if no WriteSet between them changes the table.
 *
 * <p>A change is recorded before it is published, so that a read that starts afterwards finds it. All that is known
 * depends on the names of one schema. A change of the schema discards everything: until the names have been read again
 * and everything that the reading could see is published, reads need the published SCN. Thread-safe.
 */
public final class TableScns {
    /** Protects the fields below; held for a few instructions per change of a WriteSet. Readers do not take it. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition wanted = lock.newCondition();

    /** Null if names must be read, because the schema has changed. Changed under the lock. */
    private volatile @Nullable Known known;

    /** Whether a read has asked for names since they were discarded. Set under the lock. */
    private volatile boolean asked;

    /** The last SCN that was recorded. */
    @GuardedBy("lock")
    private Scn last;

    /** Number of times that names were discarded. */
    @GuardedBy("lock")
    private long discarded;

    /** @param published the published SCN at the start: earlier changes are unknown */
    public TableScns(Scn published) {
        this.last = published;
    }

    /** What is known under the names of one schema. */
    private static final class Known {
        private final TableNames names;

        /** Indexes in {@link #scns} by the ids of the tables. */
        private final Map<Long, Integer> places = new HashMap<>();

        /** The last SCN that changed each table; 0 if {@link #everything} tells. */
        private final AtomicLongArray scns;

        /** The last SCN that may have changed any table. */
        private volatile long everything;

        Known(TableNames names, Scn everything) {
            this.names = names;
            this.everything = everything.value();
            names.tables().values().forEach(ids -> ids.forEach(id -> places.putIfAbsent(id, places.size())));
            this.scns = new AtomicLongArray(places.size());
        }

        void changed(long table, Scn scn) {
            Integer place = places.get(table);
            if (place == null) {
                everything = scn.value();
            } else {
                scns.set(place, scn.value());
            }
        }

        /** Returns the last SCN that may have changed what a query reads; the published one if that is unknown. */
        long needed(Set<String> named, Set<String> tables, long published) {
            long needed = everything;
            for (String table : tables) {
                if (!names.tables().containsKey(table)) {
                    return published;
                }
                needed = Math.max(needed, lastChange(table));
            }
            for (String name : named) {
                if (names.opaque().contains(name)) {
                    return published;
                }
                needed = Math.max(needed, lastChange(name));
            }
            return Math.min(needed, published);
        }

        private long lastChange(String name) {
            long latest = 0;
            for (Long id : names.tables().getOrDefault(name, Set.of())) {
                Integer place = places.get(id);
                latest = Math.max(latest, place == null ? Long.MAX_VALUE : scns.get(place));
            }
            return latest;
        }
    }

    /**
     * Returns the SCN that a satellite must have applied so that a query which stands alone reads what it would read at
     * the published SCN, or something later. The caller has read the published SCN before.
     *
     * @param names all names in the text of the query, as in {@link TableNames#in}; null if they are unknown
     * @param tables the tables that the query names
     */
    public Scn needed(@Nullable Set<String> names, Set<String> tables, Scn published) {
        Known current = known;
        if (current == null) {
            ask();
            return published;
        }
        return names == null ? published : new Scn(current.needed(names, tables, published.value()));
    }

    private void ask() {
        if (!asked) {
            lock.lock();
            try {
                asked = true;
                wanted.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Records what WriteSets change. Called before they are published, in commit order; may be repeated.
     *
     * @param end the SCN at which satellites show them, because they show complete batches only
     */
    public void publishing(List<WriteSet> writeSets, Scn end) {
        lock.lock();
        try {
            for (WriteSet writeSet : writeSets) {
                record(writeSet, end);
            }
            last = end;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void record(WriteSet writeSet, Scn end) {
        if (mayChangeNames(writeSet)) {
            discardNames();
        }
        Known current = known;
        if (current == null) {
            return;
        }
        if (writeSet.spill() != null) {
            current.everything = end.value();
        }
        for (Change change : writeSet.changes()) {
            if (change instanceof Change.RowChange row) {
                current.changed(row.relation(), end);
            } else if (change instanceof Change.LargeRowChange row) {
                current.changed(row.relation(), end);
            } else {
                current.everything = end.value();
            }
        }
    }

    /** Returns whether the WriteSet contains more than changes of rows, and deletions of all rows. */
    private static boolean mayChangeNames(WriteSet writeSet) {
        return writeSet.mayChangeSchema()
                || writeSet.changes().stream().anyMatch(change -> change instanceof Change.RelationChange);
    }

    /** Discards the names, because tables may have other names or ids without a WriteSet that says so. */
    public void discard() {
        lock.lock();
        try {
            discardNames();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void discardNames() {
        known = null;
        discarded++;
        asked = false;
    }

    /**
     * Waits until a read asks for names.
     *
     * @return the number of the schema, for {@link #install}
     */
    long awaitQuestion() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!asked || known != null) {
                wanted.await();
            }
            return discarded;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Installs names, unless the schema has changed since. Everything that their reading could see must be published:
     * otherwise satellites could still have an earlier schema, in which the names stand for other tables.
     *
     * @param schema returned by {@link #awaitQuestion} before the names were read
     */
    void install(TableNames names, long schema) {
        lock.lock();
        try {
            if (discarded == schema) {
                known = new Known(names, last);
            }
        } finally {
            lock.unlock();
        }
    }
}
