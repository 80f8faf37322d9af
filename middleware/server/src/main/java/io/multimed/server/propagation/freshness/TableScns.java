// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.sql.ReadFootprint;
import io.multimed.engine.sql.TableNames;
import io.multimed.engine.sql.TableNames.QualifiedName;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
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
    /**
     * Protects the fields below; held while the rows of one batch are compared with the shapes in which statements read
     * their tables. Readers take it only for a statement that they see for the first time.
     */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition wanted = lock.newCondition();

    /** Null if names must be read, because the schema has changed. Changed under the lock. */
    private volatile @Nullable SchemaStamps known;

    /** Whether a read has asked for names since they were discarded. Set under the lock. */
    private volatile boolean asked;

    /** The last SCN that was recorded. */
    @GuardedBy("lock")
    private Scn last;

    /** Number of times that names were discarded. */
    @GuardedBy("lock")
    private long discarded;

    private final Function<String, List<@Nullable String>> rowValues;

    /**
     * @param published the published SCN at the start: earlier changes are unknown
     * @param rowValues returns the values of a captured row, as {@link io.multimed.engine.dialect.CatalogReader}
     */
    public TableScns(Scn published, Function<String, List<@Nullable String>> rowValues) {
        this.last = published;
        this.rowValues = rowValues;
    }

    /**
     * Returns the SCN that a satellite must have applied so that a query which stands alone reads what it would read at
     * the published SCN, or something later. The caller has read the published SCN before.
     *
     * @param names all names in the text of the query, as in {@link TableNames#in}; null if they are unknown
     * @param tables the tables that the query names
     */
    public Scn needed(@Nullable Set<String> names, Set<String> tables, Scn published) {
        SchemaStamps current = known;
        if (current == null) {
            ask();
            return published;
        }
        return names == null ? published : new Scn(current.needed(names, tables, published.value()));
    }

    /**
     * Returns the tables and views that names in a query may stand for under the present schema, and the tables behind
     * them; null if that is not known.
     *
     * @param tables the tables that the query names
     */
    public @Nullable Set<QualifiedName> relations(Set<String> tables) {
        SchemaStamps current = known;
        if (current == null) {
            ask();
            return null;
        }
        return current.names().relations(tables);
    }

    /**
     * Returns whether the result of a query may depend on the time at which its transaction began, although its text
     * does not say so; also if the names must be read first.
     *
     * @param tables the tables that the query names
     */
    public boolean mayDependOnTime(Set<String> tables) {
        SchemaStamps current = known;
        if (current == null) {
            ask();
            return true;
        }
        return !Collections.disjoint(current.names().timed(), tables);
    }

    /**
     * Returns what a query reads under the present schema; null if the names must be read first. From now on, changes
     * are recorded for it.
     *
     * @param before the scope of the same query under an earlier schema, or under the present one; null if there is
     *     none
     * @param tables the tables that the query names
     */
    public @Nullable ReadScope scope(@Nullable ReadScope before, ReadFootprint footprint, Set<String> tables) {
        SchemaStamps current = known;
        if (current == null) {
            ask();
            return null;
        }
        if (before != null && before.schema() == current.version()) {
            return before;
        }
        lock.lock();
        try {
            return current.scope(footprint, tables, last);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether a result still holds at the published SCN, which the caller has read before.
     *
     * @param asOf the result includes all changes up to this SCN
     */
    public boolean holds(Dependencies dependencies, Scn asOf) {
        SchemaStamps current = known;
        return current != null && dependencies.schema() == current.version() && dependencies.areUnchangedSince(asOf);
    }

    /** Returns whether the schema has not changed since a result was computed. */
    public boolean isOfPresentSchema(Dependencies dependencies) {
        SchemaStamps current = known;
        return current != null && dependencies.schema() == current.version();
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
        SchemaStamps current = known;
        if (current == null) {
            return;
        }
        if (writeSet.spill() != null) {
            current.changedEverything(end);
        }
        for (Change change : writeSet.changes()) {
            current.changed(change, end);
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
        SchemaStamps before = known;
        known = null;
        if (before != null) {
            before.discard();
        }
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
                known = new SchemaStamps(names, last, rowValues);
            }
        } finally {
            lock.unlock();
        }
    }
}
