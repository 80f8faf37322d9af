package io.multimed.engine.master;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Transactions that write to the master past the middleware, where the System Model has them captured. They seal themselves when they commit, one at a time: from before it takes
 * its SCN until its commit is visible, each holds a gate that no member of a commit group can pass. So the SCNs stand in the order of the commits. Stateless.
 */
public interface BypassStore {
    /** The last SCN that one of them has committed under, {@link Scn#ZERO} if there is none; as the open transaction sees it, which stays open. */
    Scn last(Connection master) throws SQLException;

    /** Those that have committed after {@code after} up to {@code upTo}, in order, at most {@code limit}. */
    List<WriteSet> sealed(Connection master, Scn after, Scn upTo, int limit) throws SQLException;

    /** From now on {@link #awaitNext} hears of them on this connection. */
    void listen(Connection connection) throws SQLException;

    /** Returns when another one has committed, or after some time. */
    void awaitNext(Connection listening, int millis) throws SQLException;

    /** Whoever holds the gate: no group commits meanwhile. */
    Optional<Holder> holder(Connection master) throws SQLException;

    /** Ends the holder's session; its transaction is rolled back. */
    void end(Connection master, Holder holder) throws SQLException;

    /**
     * A session in the gate.
     *
     * @param transaction the engine's own name of its transaction
     * @param who what the engine knows of its client, for people
     */
    record Holder(int session, String transaction, String who) {}
}
