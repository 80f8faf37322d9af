package io.multimed.engine.satellite;

import io.multimed.engine.master.PieceConsumer;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The writing side of one satellite. Owned by one thread, its applier's; after an exception it must be closed and opened anew. */
public interface SatelliteStore extends AutoCloseable {
    /** Where the satellite stands, if it follows this history; empty if it must be seeded. */
    Optional<Scn> applied(UUID historyId) throws SQLException;

    /**
     * Applies WriteSets in order, in one transaction that also moves {@code applied} to {@code upTo}: exactly once, all or nothing.
     *
     * @param spills reads the parts that stayed on the master
     */
    void apply(List<WriteSet> writeSets, Scn upTo, SpillReader spills) throws SQLException;

    /**
     * Replaces everything here by what the master's snapshot holds.
     *
     * @param snapshot a master connection whose open transaction sees exactly the commits up to {@code scn}
     * @param progress hears about each table
     */
    void seed(Connection snapshot, Scn scn, UUID historyId, SeedProgress progress) throws SQLException;

    /** Finds out whether the satellite is still there. */
    void ping() throws SQLException;

    /**
     * From now on readers' sessions begin as clients' sessions on the master do.
     *
     * @param sessionDefaults the master's {@link io.multimed.engine.Engine#sessionDefaults}
     */
    default void setSessionDefaults(Map<String, String> sessionDefaults) throws SQLException {}

    /** How clients' reads reach this satellite: a user that can read what is held here, and nothing else. */
    NodeAccess readerAccess() throws SQLException;

    /** Breaks off whatever the owner waits for, which then fails; called by another thread. */
    void abort();

    @Override
    void close();

    /** Reads what stayed on the master of a large WriteSet. */
    interface SpillReader {
        void read(Spill spill, PieceConsumer piece) throws SQLException;
    }

    /** Hears how seeding goes on. */
    interface SeedProgress {
        void table(String name, long rows, @Nullable String note);
    }
}
