// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.satellite.CopySnapshot;
import io.multimed.engine.satellite.SatelliteStore;
import io.multimed.engine.sql.ReadRights;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.wire.WireProtocol;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.value.ErrorFields;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A kind of database engine, with everything that differs between engines; the middleware knows engines by this
 * interface only (architecture 3). Implementations are stateless and thread-safe, and {@link Engines} finds them by
 * {@code ServiceLoader}. Everything that an engine opens belongs to the caller, which closes it.
 */
public interface Engine {
    /** Returns the name of the engine in the System Model. */
    String id();

    /**
     * Returns the same engine with satellites that are its own standbys: SCNs are positions in the engine's log, and
     * nothing is captured.
     *
     * @param receipts whether receipts of commits are written on the master; otherwise nothing is installed there
     * @throws SQLException 0A000 if this is not supported
     */
    default Engine byLog(boolean receipts) throws SQLException {
        throw new SQLException(id() + ": satellites cannot be the engine's own standbys", "0A000");
    }

    /**
     * Returns whether satellites are the engine's own standbys. They may show commits that are not published yet: the
     * answers of reads wait until these are published, because a later read on another satellite could miss what an
     * earlier read has returned.
     */
    default boolean hasStandbys() {
        return false;
    }

    /** Returns an SCN for display, in the notation of the engine if SCNs are positions in the engine's log. */
    default String display(Scn scn) {
        return Long.toString(scn.value());
    }

    /** Returns the engine's own protocol, whose clients the middleware's port recognizes and refuses. */
    default WireProtocol wireProtocol() {
        return WireProtocol.UNKNOWN;
    }

    /**
     * Returns the extractor, which seals and commits on the master.
     *
     * @param durableCommits as for {@link #masterPool}
     * @param epoch of {@link MasterStore#takeOver}
     */
    WriteSetExtractor extractor(boolean durableCommits, long epoch);

    /**
     * Creates a pool for clients' transactions on the master, with auto-commit off.
     *
     * @param durableCommits whether each commit waits for the disk; false where the commit order forces the log once
     *     for many commits
     * @param isolation the isolation level of sessions, a constant of {@link Connection}, whatever the server's default
     *     has become; engines whose sessions have a fixed level ignore this parameter
     * @param epoch of {@link MasterStore#takeOver}: when it is over, no new connection opens
     */
    ConnectionPool masterPool(NodeAccess access, int size, boolean durableCommits, int isolation, long epoch);

    /**
     * Creates a pool for clients' single reads on the master, with auto-commit on. The engine refuses all changes on
     * its connections ({@link SqlDialect#isReadOnlyRefusal}), so that a statement that was wrongly classified as a read
     * changes nothing.
     *
     * @param epoch as for {@link #masterPool}
     */
    ConnectionPool masterReaderPool(NodeAccess access, int size, long epoch);

    /**
     * Creates a pool for single statements that run inside a commit group (architecture 4.6). All other commits of the
     * group wait for such a statement. Where the engine has {@link WriteSetExtractor#piggybackCommit}, it cancels a
     * statement that waits for a lock or runs for long ({@link SqlDialect#hasTimedOut}); otherwise auto-commit is off,
     * and the middleware cancels the statement. No connection is opened before it is needed.
     *
     * @param epoch as for {@link #masterPool}
     */
    ConnectionPool groupPool(NodeAccess access, int size, long epoch);

    /**
     * Returns the isolation level of the connections of {@link #groupPool}, a constant of {@link Connection}.
     * Statements that need a higher level run outside of commit groups.
     */
    int groupIsolation();

    /** Returns the settings with which clients' sessions on the master begin. Opens and closes a connection. */
    default SessionDefaults sessionDefaults(NodeAccess master) throws SQLException {
        return SessionDefaults.NONE;
    }

    /**
     * Returns a text that changes when {@link #sessionDefaults} may have changed since the last call on the same
     * connection. Costs one short query. The connection has no open transaction, before and after the call.
     */
    default String sessionDefaultsState(Connection own) throws SQLException {
        return "";
    }

    /**
     * Creates a pool for clients' reads on a satellite, with auto-commit on. The engine refuses all changes on its
     * connections, whatever clients send. A transaction sees one snapshot, unless there is a {@link #snapshotPool}.
     */
    ConnectionPool readerPool(NodeAccess access, int size);

    /**
     * Creates a pool like {@link #readerPool} for read-only transactions of several statements, each of which sees one
     * snapshot; empty if {@link #readerPool} serves these, too.
     */
    default Optional<ConnectionPool> snapshotPool(NodeAccess access, int size) {
        return Optional.empty();
    }

    /** Opens a connection for internal work, with auto-commit off, on which nothing is captured. */
    Connection connect(NodeAccess access) throws SQLException;

    /**
     * Opens a connection like {@link #connect} on which names and operators without a schema are the engine's own,
     * regardless of what users have created: the middleware's queries run with all privileges. The level of isolation
     * is one that each node supports.
     */
    default Connection connectOwn(NodeAccess access) throws SQLException {
        return connect(access);
    }

    /**
     * Opens the connection for {@link MasterStore#forceLog}, for which the settings of the master's server, database
     * and user apply.
     */
    default Connection connectLog(NodeAccess master) throws SQLException {
        return connect(master);
    }

    /** Returns whether clients' statements can run as roles other than the user of the System Model. */
    default boolean supportsRoles() {
        return false;
    }

    /**
     * Enables the middleware to connect to the master as a role: creates the role if it does not exist, and sets a new
     * random password. Only for engines that belong to Multimed, where no other program knows a password.
     *
     * @param own connection of the middleware's own, see {@link #connectOwn}; the change is committed
     * @return the access as the role
     */
    default NodeAccess enableRole(Connection own, NodeAccess master, String role) throws SQLException {
        throw noRoles();
    }

    /**
     * Creates a pool like {@link #masterPool}, or {@link #masterReaderPool}, whose connections run as a role. No
     * connection is opened before it is needed, and none is kept for long. The isolation level of sessions is the
     * present one of the role or the server.
     *
     * @param master as the master's user
     * @param access as the role
     * @param reads whether the connections serve single reads only
     */
    default ConnectionPool rolePool(
            NodeAccess master, NodeAccess access, int size, boolean reads, boolean durableCommits, long epoch)
            throws SQLException {
        throw noRoles();
    }

    /**
     * Logs in to the master as a role, with a password that a client has sent, and out again. Takes a bounded time.
     *
     * @param master as Multimed's user
     * @param access as the role
     * @throws SQLException 28xxx if the engine refuses the login, or would accept any password; 0A000 if the password
     * is right, but clients must not use the role, because the engine checks no privileges for it, or because it is
     * one of Multimed's
     */
    default void checkLogin(NodeAccess master, NodeAccess access) throws SQLException {
        throw noRoles();
    }

    /** Returns whether single statements of roles can run inside commit groups: see {@link #connectGroup}. */
    default boolean groupsRoles() {
        return false;
    }

    /**
     * Opens a connection like those of {@link #groupPool} that runs as a role. The caller closes the connection.
     *
     * @param own connection of the middleware's own, see {@link #connectOwn}
     * @param access as the role
     * @throws SQLException 0A000 if the role has settings of its own, which must apply to its statements
     */
    default Connection connectGroup(Connection own, NodeAccess access, String role, long epoch) throws SQLException {
        throw noRoles();
    }

    /**
     * Restores the initial state of a connection of {@link #connectGroup} after a failure: code of users may have run,
     * and may have left anything in the session.
     */
    default void clearSession(Connection connection) throws SQLException {
        dialect().sessions().resetSession(connection);
    }

    /** Determines how the middleware connects as a role. */
    @FunctionalInterface
    interface RoleLogin {
        /** Returns the access as the role; creates the role where that is possible. */
        NodeAccess access() throws SQLException;
    }

    /** Returns what satellites may read for a role. */
    default ReadRights readRights(Connection own, String role, RoleLogin login) throws SQLException {
        throw noRoles();
    }

    /**
     * Two texts of which each changes with the roles of the engine.
     *
     * @param rights changes when memberships or attributes of roles may have changed, of which satellites and the
     *     middleware are not told otherwise
     * @param sessions changes when sessions of roles may differ from new sessions, because they keep the privileges
     *     that they had at their beginning, or belong to a role that was dropped and created again: their connections
     *     are then opened again
     */
    record RoleState(String rights, String sessions) {}

    default RoleState roleState(Connection own) throws SQLException {
        throw noRoles();
    }

    /**
     * Returns whether connections of the middleware's own announce and record the schema changes of roles and of pinned
     * sessions ({@link MasterStore#announceDdl}): the accounts of roles lack privileges for this, and pinned sessions
     * may see other tables.
     */
    default boolean recordsDdlApart() {
        return false;
    }

    /**
     * Checks that a role may change the schema objects that a statement names, as far as this can be known: the
     * announcement of the statement removes the objects from satellites. The engine itself checks the privileges when
     * the statement runs.
     *
     * @throws SQLException if the role has no privilege for any change of one of the objects
     */
    default void requireDdlPrivilege(RoleLogin login, SchemaChange change) throws SQLException {}

    private SQLException noRoles() {
        return new SQLException(id() + ": roles of users are not supported on this engine", "0A000");
    }

    /** Returns the engine's number of a connection's session; 0 if it cannot be determined. */
    int session(Connection connection);

    /** Returns access to Multimed's tables and triggers on the master. */
    MasterStore masterStore();

    /**
     * Opens a satellite for writing.
     *
     * @param held the master's tables that the satellite holds
     */
    SatelliteStore openSatellite(NodeAccess access, ReplicatedTables held) throws SQLException;

    /** Opens a node for the comparison of copies; {@link CopySnapshot#begin} takes the snapshot. */
    CopySnapshot openSnapshot(NodeAccess access) throws SQLException;

    /**
     * Returns the fields of an error beside its message; empty if the engine has sent none, or if the error is not one
     * of this engine.
     */
    default ErrorFields errorFields(SQLException failure) {
        return ErrorFields.NONE;
    }

    /**
     * Returns an error with a message, and perhaps an SQLState, that leads an application's developer to the cause, in
     * place of an error of this engine whose own message would not; null for all other errors.
     */
    default @Nullable SQLException clarify(SQLException failure) {
        return null;
    }

    /** Returns the facts about the engine's SQL, sessions, results and errors. */
    SqlDialect dialect();
}
