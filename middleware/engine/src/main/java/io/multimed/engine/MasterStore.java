package io.multimed.engine;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What Multimed keeps on the master (design 4.3). Stateless; every method works on the connection it is given and leaves no transaction open. */
public interface MasterStore {
    /**
     * Makes Multimed's schema and puts triggers on all tables that {@code held} holds and that have none.
     *
     * @param captureBypassing whether writes past the middleware are captured, see {@link #bypass}; otherwise they are refused
     */
    void install(Connection master, HeldTables held, boolean captureBypassing) throws SQLException;

    /** How transactions are captured that bypass the middleware; empty if that cannot be done on this engine. */
    Optional<BypassStore> bypass();

    /**
     * Puts triggers on all tables that {@code held} holds and that have none, one table after the other, while clients go on.
     *
     * @throws SQLException if a table stays locked by a client for too long; ask again
     */
    void watch(Connection master, HeldTables held) throws SQLException;

    /**
     * Looks for what was done to captured tables past the middleware where no trigger fires, and puts them under capture as they are now. Called every few seconds.
     *
     * @param held as for {@link #install}
     * @return whether something was found: the history has another {@link #cluster} then, because no satellite is a copy any more
     */
    default boolean mend(Connection master, HeldTables held) throws SQLException {
        return false;
    }

    /**
     * Makes sure that nobody else numbers commits: ends the connections that an earlier middleware left behind, and keeps others out as long as {@code master} is
     * open.
     *
     * @throws SQLException if another middleware is running
     */
    void endForeignSessions(Connection master) throws SQLException;

    /** SQLState of {@link #admit}'s refusal. */
    String OVERTAKEN = "MM002";

    /**
     * Begins a new epoch: no connection of an earlier one is admitted any more. Those that were admitted before must be ended after this.
     *
     * @return the epoch
     */
    long takeOver(Connection master) throws SQLException;

    /**
     * Returns if the epoch is still the current one.
     *
     * @throws SQLException {@link #OVERTAKEN} if another middleware has taken over
     */
    void admit(Connection master, long epoch) throws SQLException;

    /** Returns the current epoch. */
    long epoch(Connection master) throws SQLException;

    /** Keeps other middlewares out as long as the connection is open; fails if another one is running. */
    void keepOut(Connection master) throws SQLException;

    /**
     * Ends sessions of the master's, and returns when they are gone: what they had not committed, they never will.
     *
     * @throws SQLException if one of them does not end within some seconds
     */
    void endSessions(Connection master, Set<Integer> sessions) throws SQLException;

    /**
     * Identifies the history: a satellite that followed another one must be seeded anew. Another one after each crash of the master that cost it rows, of
     * tables that were made without durability.
     */
    UUID cluster(Connection master) throws SQLException;

    /** Every SCN up to this one has been dropped from the sealed WriteSets. */
    Scn base(Connection master) throws SQLException;

    /** The last SCN that a transaction was sealed under; the next one that is given out is the one after it. Called while no member of a commit group commits. */
    Scn resume(Connection master) throws SQLException;

    /** All that is sealed after an SCN, by whose commit it is, except for what bypassed the middleware: to find out which commits happened. Bounded by the clients, who each wait for one commit. */
    Map<Receipt, WriteSet> sealedAfter(Connection master, Scn after) throws SQLException;

    /**
     * Sealed WriteSets after {@code after} up to {@code upTo}, in order, without holes, at most {@code limit}.
     *
     * @throws SQLException also if some of them have been dropped
     */
    List<WriteSet> sealed(Connection master, Scn after, Scn upTo, int limit) throws SQLException;

    /** Which of these commits happened, and where in the order; those before {@link #base} may be missing. */
    Map<Receipt, Scn> sealed(Connection master, List<Receipt> receipts) throws SQLException;

    /**
     * One piece of a spilled WriteSet after another, in order, given to {@code piece}.
     *
     * @throws SQLException also if they have been dropped; some may have been given then
     */
    void spilled(Connection master, Spill spill, PieceConsumer piece) throws SQLException;

    /**
     * Removes sealed WriteSets, and pieces of spilled ones, that all present satellites have applied, as far as this is
     * cheap; never waits for locks. Called every second.
     *
     * @param applied nothing after it is removed
     * @param retention what is kept nevertheless
     * @return the new base
     */
    Scn drop(Connection master, Scn applied, Retention retention) throws SQLException;

    /** Puts a statement into the open transaction's WriteSet, to be run by every satellite at its place in the order. */
    void share(Connection openTransaction, String sql) throws SQLException;

    /**
     * Before a statement that changes the schema and is committed by the engine itself: puts into the open transaction's WriteSet what satellites must not answer for until
     * {@link #tellSchema}. The statement runs when that WriteSet is published.
     *
     * @param statement a number of the statement that no other one has while this middleware runs
     * @return whether there is anything; if not, no transaction is open
     */
    boolean announceSchema(Connection openTransaction, SchemaChange change, long statement) throws SQLException;

    /**
     * Says whether DDL of this connection is told to the satellites as it happens, or later by {@link #tellSchema}: what cannot run in a transaction has no WriteSet.
     * The connection is in auto-commit.
     *
     * @param epoch of the middleware that owns the master
     */
    void tellLater(Connection master, boolean later, long epoch) throws SQLException;

    /**
     * Puts into the open transaction's WriteSet what satellites lack of the schema.
     *
     * @param change what the statement says that it did, for engines that do not tell by themselves; null if it says nothing. It may have failed and have done a part
     * @param statement the number with which it was announced
     */
    void tellSchema(Connection openTransaction, @Nullable SchemaChange change, long statement) throws SQLException;

    /**
     * Before {@link #tellUntold}: ends the lost sessions, and puts into the open transaction's WriteSet what satellites
     * must not answer for until then.
     *
     * @return whether there is anything; if not, no transaction is open
     */
    boolean announceUntold(Connection openTransaction, UntoldChange untold) throws SQLException;

    /**
     * Tells satellites what {@link #tellSchema} could not, with shorter waits for locks.
     *
     * @throws SQLException also if this is not possible yet: the connection is unusable, and a later call completes it
     */
    void tellUntold(Connection openTransaction, UntoldChange untold) throws SQLException;

    /**
     * Returns when all earlier commits on the master are on disk and, on a connection of {@link Engine#connectLog}, on
     * the standbys for which the master's commits wait. The connection is in auto-commit.
     *
     * @throws SQLException also if the wait for the standbys was canceled
     */
    void forceLog(Connection master) throws SQLException;

    /**
     * Describes, for display, the reason why {@link #forceLog} takes long; empty if the engine cannot tell. No
     * transaction is open afterwards.
     */
    default Optional<String> awaited(Connection master) throws SQLException {
        return Optional.empty();
    }

    /** The relations as the connection's snapshot sees them. */
    List<Relation> relations(Connection master) throws SQLException;

    /** Takes a snapshot that stays until the transaction ends; nothing else of it is read yet. */
    void beginSnapshot(Connection master) throws SQLException;

    /** Takes a spilled WriteSet as it is read. */
    interface PieceConsumer {
        /** The changes of one piece. */
        void accept(List<Change> changes) throws SQLException;

        /** The next bytes of the {@link Change.LargeRowChange} that was the last change; comes as often as it has pieces. */
        void content(byte[] piece) throws SQLException;
    }
}
