// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.satellite;

import io.multimed.engine.master.PieceConsumer;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes one satellite (architecture 4.5). Belongs to one thread, the satellite's applier. After an exception the
 * caller closes the store and opens another one.
 */
public interface SatelliteStore extends AutoCloseable {
    /**
     * Returns the SCN up to which the satellite holds all changes, if it has this copy; empty if it must be seeded.
     * Called first. Ensures that no earlier applier of the satellite can still commit.
     *
     * @param copyId as for {@link #seed}
     */
    Optional<Scn> applied(UUID copyId) throws SQLException;

    /**
     * Applies WriteSets in order, in one transaction that also sets the applied SCN to {@code upTo}: exactly once, and
     * all or nothing.
     *
     * @param spills reads the parts that remained on the master
     * @throws SQLException also if the satellite lacks a row that the master changed: it must be seeded again
     */
    void apply(List<WriteSet> writeSets, Scn upTo, SpillReader spills) throws SQLException;

    /**
     * Replaces the content of the satellite by the content of the master's snapshot.
     *
     * @param snapshot a connection to the master whose open transaction sees exactly the commits up to {@code scn}; it
     *     remains open
     * @param copyId identifier of the copy, which follows from the {@link
     *     io.multimed.engine.master.SeedSource#historyId} of the master and from the tables that the satellite holds
     * @param progress is called after each table
     */
    void seed(Connection snapshot, Scn scn, UUID copyId, SeedProgress progress) throws SQLException;

    /**
     * Creates the satellite's own indexes that are missing, and removes own indexes that are not in the list. Called
     * after {@link #seed}, and after each change of the schema.
     *
     * @return the definitions that the engine refuses, with its messages: also those of tables that do not exist yet
     */
    default List<String> createOwnIndexes(List<OwnIndex> indexes) throws SQLException {
        Set<String> present = retainOwnIndexes(indexes);
        List<String> refused = new ArrayList<>();
        for (OwnIndex each : indexes) {
            if (!present.contains(each.name())) {
                createOwnIndex(each).ifPresent(why -> refused.add(each.definition() + ": " + why));
            }
        }
        return refused;
    }

    /**
     * Removes own indexes that are not in the list, and those that a change of the schema has made different from their
     * definition. Returns the names of those that remain. Commits.
     */
    Set<String> retainOwnIndexes(List<OwnIndex> wanted) throws SQLException;

    /** Creates an own index, and commits. Returns the message if the engine refuses the index; empty otherwise. */
    Optional<String> createOwnIndex(OwnIndex index) throws SQLException;

    /**
     * Stores the rows of views, computes them, and keeps them current from now on, as long as the schema does not
     * change: after a change of the schema, the views are ordinary ones until the next call. Views that are not in the
     * list become ordinary ones. Called after {@link #seed}, and after each change of the schema.
     *
     * @return a remark on each view whose rows cannot be stored, or not with all indexes
     */
    List<String> materialize(List<MaterializedView> views) throws SQLException;

    /** Returns the views whose rows are stored now. Called by any thread. */
    List<MaterializedView.Maintenance> materialized();

    /** Sends a request to the satellite, which fails if the satellite does not answer. */
    void ping() throws SQLException;

    /**
     * Makes readers' sessions that begin from now on begin with the same settings as clients' sessions on the master.
     * Materialized views may have to be computed again afterwards, by {@link #materialize}.
     *
     * @param sessionDefaults the values of {@link io.multimed.engine.SessionDefaults}
     */
    default void setSessionDefaults(Map<String, String> sessionDefaults) throws SQLException {}

    /**
     * Returns the access for clients' reads: a user that can read the tables that the satellite holds, and nothing
     * else.
     */
    NodeAccess readerAccess() throws SQLException;

    /** Closes the connection, so that a waiting call of the owner fails. Called by another thread. */
    void abort();

    @Override
    void close();

    /** Reads the part of a large WriteSet that remained on the master. */
    interface SpillReader {
        /** Passes the pieces in order. Fails if they no longer exist on the master. */
        void read(Spill spill, PieceConsumer piece) throws SQLException;
    }

    /** Receives the progress of seeding. */
    interface SeedProgress {
        /**
         * Called after a table.
         *
         * @param rows number of rows that were copied
         * @param note a remark for display; null if there is none
         */
        void table(String name, long rows, @Nullable String note);
    }
}
