package io.multimed.engine;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.satellite.CopySnapshot;
import io.multimed.engine.satellite.SatelliteStore;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.protocol.value.ErrorFields;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A kind of database engine: all that differs from one to the next. Implementations are stateless; what they open belongs to the caller.
 */
public interface Engine {
    /** As the System Model writes it. */
    String id();

    /**
     * Returns the extractor, which seals and commits on the master.
     *
     * @param epoch of {@link MasterStore#takeOver}
     */
    WriteSetExtractor extractor(boolean durableCommits, long epoch);

    /**
     * A pool of connections for clients' transactions on the master, with auto-commit off.
     *
     * @param durableCommits whether a commit waits for the disk by itself; false where the commit order forces the log for many
     * @param epoch of {@link MasterStore#takeOver}: when it is over, no connection opens any more
     */
    ConnectionPool masterPool(NodeAccess access, int size, boolean durableCommits, long epoch);

    /**
     * Creates a pool for clients' single reads on the master, with auto-commit on. The engine refuses all changes on
     * its connections ({@link SqlDialect#isReadOnlyRefusal}), so that a statement that was wrongly classified as a read
     * changes nothing.
     *
     * @param epoch as for {@link #masterPool}
     */
    ConnectionPool masterReaderPool(NodeAccess access, int size, long epoch);

    /**
     * Creates a pool for single statements that run inside a commit group. All other commits of the group wait for such a
     * statement. Where the engine has {@link WriteSetExtractor#piggybackCommit}, it cancels a statement that waits for a
     * lock or runs for long ({@link SqlDialect#hasTimedOut}); otherwise auto-commit is off, and the middleware cancels
     * the statement. No connection is opened before it is needed.
     */
    ConnectionPool groupPool(NodeAccess access, int size, long epoch);

    /**
     * What clients' sessions on the master begin with, of that on which answers depend and which satellites do not get in another way: names and values, for {@link SatelliteStore#setSessionDefaults}.
     */
    default Map<String, String> sessionDefaults(NodeAccess master) throws SQLException {
        return Map.of();
    }

    /**
     * A pool of connections for clients' reads on a satellite, with auto-commit on. They see one snapshot per transaction and cannot write,
     * whatever they send.
     */
    ConnectionPool readerPool(NodeAccess access, int size);

    /** A connection for Multimed's own work, with auto-commit off, on which no capture takes place. */
    Connection connect(NodeAccess access) throws SQLException;

    /**
     * Opens the connection for {@link MasterStore#forceLog}, for which the settings of the master's server, database
     * and user apply.
     */
    default Connection connectLog(NodeAccess master) throws SQLException {
        return connect(master);
    }

    /** The engine's own number of a connection's session; 0 if it cannot be told. */
    int session(Connection connection);

    /** What Multimed keeps on the master. */
    MasterStore masterStore();

    /** Opens a satellite for writing; {@code held} says which of the master's tables it holds. */
    SatelliteStore openSatellite(NodeAccess access, ReplicatedTables held) throws SQLException;

    /** Opens a copy for comparing it with others; its snapshot is not taken yet. */
    CopySnapshot openSnapshot(NodeAccess access) throws SQLException;

    /** What the engine said of an error beside its message; empty if it said nothing, or is another engine's. */
    default ErrorFields errorFields(SQLException failure) {
        return ErrorFields.NONE;
    }

    /** Another message, and perhaps SQLState, for an error of this engine's whose own would not lead an application's developer to the cause; null for all others. */
    default @Nullable SQLException clarify(SQLException failure) {
        return null;
    }

    /** How this engine's SQL is read. */
    SqlDialect dialect();
}
