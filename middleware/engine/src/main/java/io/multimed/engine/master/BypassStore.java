// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.master;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Access to transactions that bypass the middleware and are captured ({@code bypass: capture}). Such a transaction
 * seals itself when it commits, one at a time: from before it takes its SCN until its commit is visible, it holds a
 * gate that no member of a commit group can pass. SCNs are therefore in the order of the commits. Stateless; except for
 * {@link #last} no transaction remains open.
 */
public interface BypassStore {
    /**
     * Returns the last SCN of a committed transaction that bypassed the middleware, as the connection's open
     * transaction sees it, which remains open; {@link Scn#ZERO} if there is none.
     */
    Scn last(Connection master) throws SQLException;

    /**
     * What such transactions have changed last.
     *
     * @param scn as for {@link #last}
     * @param schema a number that changes with the schema, if that is not in the WriteSets
     */
    record Latest(Scn scn, long schema) {}

    /**
     * Returns what such transactions have changed last. The connection's transaction remains open, or the connection is
     * in auto-commit afterwards.
     */
    default Latest latest(Connection master) throws SQLException {
        return new Latest(last(master), 0);
    }

    /** Returns the WriteSet that stands for all such transactions up to an SCN; empty if each has one of its own. */
    default Optional<WriteSet> writeSet(Scn last, boolean changesSchema) {
        return Optional.empty();
    }

    /**
     * Returns the WriteSets of such transactions after {@code after} up to {@code upTo}, in order, at most {@code
     * limit}.
     */
    List<WriteSet> sealed(Connection master, Scn after, Scn upTo, int limit) throws SQLException;

    /** Registers a connection for {@link #awaitNext}. */
    void listen(Connection connection) throws SQLException;

    /**
     * Returns when another transaction has bypassed the middleware and committed, or when the time is over.
     * Notifications may be lost: the caller also polls {@link #last}.
     */
    void awaitNext(Connection listening, int millis) throws SQLException;

    /** Returns the session that holds the gate, if there is one: meanwhile no group commits. */
    Optional<Holder> holder(Connection master) throws SQLException;

    /** Ends the holder's session, unless the session has another transaction by now. Its transaction is rolled back. */
    void end(Connection master, Holder holder) throws SQLException;

    /**
     * A session that holds the gate.
     *
     * @param session the engine's number of the session
     * @param transaction the engine's name of its transaction
     * @param who a description of its client, for display
     */
    record Holder(int session, String transaction, String who) {}
}
