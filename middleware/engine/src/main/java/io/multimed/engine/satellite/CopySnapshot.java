package io.multimed.engine.satellite;

import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.Scn;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One copy's tables as one snapshot shows them, for comparing copies. A table's rows are told apart by two fingerprints, of the key and of the whole row (of the whole
 * row twice where there is no key), which are the same on every node for the same row. Nothing depends on the engines' order of texts. Used by one thread at a time.
 */
public interface CopySnapshot extends AutoCloseable {
    /** Takes the snapshot, at this moment; fails if the engine does not answer within seconds, because others wait meanwhile. */
    void begin() throws SQLException;

    /** The last SCN of a transaction that bypassed the middleware, as a snapshot of the master shows it; {@link Scn#ZERO} if there is none. */
    Scn lastBypassing() throws SQLException;

    /** The master's tables. */
    List<Relation> relations() throws SQLException;

    /** The tables that there are here, as schema and name. */
    Set<String> tableNames() throws SQLException;

    /**
     * Returns the master's tables that satellites lack until their definition is sent again, with names as in
     * {@link #tableNames}.
     */
    default Set<String> pendingTables() throws SQLException {
        return Set.of();
    }

    /**
     * Counts and sums of a table's rows by buckets of their keys' fingerprints: equal sums, equal rows. Reads the table once; memory does not grow with it.
     *
     * @param buckets a power of 2
     */
    Map<Integer, BucketSum> sums(Relation table, int buckets) throws SQLException;

    /**
     * The rows of some buckets, ordered by both fingerprints. Reads the table once; memory does not grow with it.
     *
     * @param buckets as for {@link #sums}
     */
    void rows(Relation table, int buckets, Set<Integer> wanted, RowsReader reader) throws SQLException;

    /** Breaks off whatever is waited for, which then fails; called by another thread. */
    void abort();

    @Override
    void close();

    /**
     * A bucket.
     *
     * @param rows how many
     * @param sum of their fingerprints, as a decimal number
     */
    record BucketSum(long rows, String sum) {}

    /**
     * A row.
     *
     * @param key fingerprint of the key
     * @param row fingerprint of the whole row
     * @param label how people know it: its key, or its beginning where there is no key
     */
    record RowPrint(String key, String row, String label) {}

    /** Gives one row after another. */
    interface RowPrints {
        /** The next row; null after the last one. */
        @Nullable
        RowPrint next() throws SQLException;
    }

    /** Reads rows as long as it runs. */
    interface RowsReader {
        void read(RowPrints rows) throws SQLException;
    }
}
