// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.satellite;

import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.Scn;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tables of one node as one snapshot shows them, for the comparison of copies ({@code multimed verify}). Each row
 * has two fingerprints, of the key and of the whole row (without a key, both of the whole row). The fingerprints of
 * equal rows are equal on every node. No result depends on an engine's collation. Used by one thread at a time.
 */
public interface CopySnapshot extends AutoCloseable {
    /** Takes the snapshot. Fails if the engine does not answer within seconds, because commits wait meanwhile. */
    void begin() throws SQLException;

    /**
     * Takes the snapshot of a standby when it shows all commits before a position in the master's log. Fails if this
     * takes seconds, because commits wait meanwhile.
     */
    default void beginAfter(Scn position) throws SQLException {
        throw new SQLFeatureNotSupportedException("only standbys show positions of the master's log", "0A000");
    }

    /**
     * Returns a text that is the same for two snapshots of a master between which no transaction has ended. Called only
     * where satellites are standbys.
     */
    default String shown() throws SQLException {
        throw new SQLFeatureNotSupportedException("snapshots are compared only beside standbys", "0A000");
    }

    /**
     * Returns whether this snapshot of a standby shows no transaction that a snapshot of the master does not show: a
     * transaction may be in the log, and wait for synchronous standbys before the master shows it.
     *
     * @param shown the transactions of the master's snapshot, by {@link #shown}
     */
    default boolean showsNoMoreThan(String shown) throws SQLException {
        throw new SQLFeatureNotSupportedException("snapshots are compared only beside standbys", "0A000");
    }

    /**
     * Returns the last SCN of a transaction that bypassed the middleware, as a snapshot of the master shows it; {@link
     * Scn#ZERO} if there is none.
     */
    Scn lastBypassing() throws SQLException;

    /** Returns the relations of the master; called on a snapshot of the master. */
    List<Relation> relations() throws SQLException;

    /** Returns the tables of this node, as schema and name with a dot between them. */
    Set<String> tableNames() throws SQLException;

    /**
     * Returns the master's tables that satellites lack until their definition is sent again, with names as in
     * {@link #tableNames}.
     */
    default Set<String> pendingTables() throws SQLException {
        return Set.of();
    }

    /** Returns the version of the engine. Nodes of one version describe equal definitions by equal texts. */
    String version() throws SQLException;

    /**
     * Returns what decides how the engine reads the values of a table, as far as copies have it: columns with their
     * types and collations, and further properties that depend on the engine.
     */
    String definition(Relation table) throws SQLException;

    /**
     * Returns number and sum of fingerprints of a table's rows, by buckets of the keys' fingerprints; equal sums
     * indicate equal rows. Empty buckets are missing. Reads the table once; memory does not grow with it.
     *
     * @param buckets a power of 2
     */
    Map<Integer, BucketSum> sums(Relation table, int buckets) throws SQLException;

    /**
     * Passes the rows of some buckets to a reader, ordered by both fingerprints. Reads the table once; memory does not
     * grow with it.
     *
     * @param buckets as for {@link #sums}
     */
    void rows(Relation table, int buckets, Set<Integer> wanted, RowsReader reader) throws SQLException;

    /** Returns whether the connection is lost: nothing more can be read. */
    boolean isLost();

    /** Closes the connection, so that a waiting call fails. Called by another thread. */
    void abort();

    @Override
    void close();

    /**
     * A bucket of rows.
     *
     * @param rows number of rows
     * @param sum of their fingerprints, as a decimal number
     */
    record BucketSum(long rows, String sum) {}

    /**
     * A row, as far as comparisons need it.
     *
     * @param key fingerprint of the key
     * @param row fingerprint of the whole row
     * @param label identification for display: the key, or the beginning of the row if there is no key
     */
    record RowPrint(String key, String row, String label) {}

    /** A sequence of rows. */
    interface RowPrints {
        /** Returns the next row; null after the last one. */
        @Nullable
        RowPrint next() throws SQLException;
    }

    /** Receives the rows, which are available until it returns. */
    interface RowsReader {
        void read(RowPrints rows) throws SQLException;
    }
}
