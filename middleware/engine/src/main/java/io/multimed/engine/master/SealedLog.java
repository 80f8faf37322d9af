// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.master;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** The sealed WriteSets that the master keeps, in the order of their SCNs. Stateless; leaves no transaction open. */
public interface SealedLog {
    /**
     * Returns whether a commit has not happened if {@link #sealedAfter} does not contain it; otherwise the outcome of a
     * commit during which the connection broke is unknown.
     */
    default boolean knowsEachOutcome() {
        return true;
    }

    /** Returns the last SCN up to which all sealed WriteSets have been dropped. */
    Scn base(Connection master) throws SQLException;

    /**
     * Returns the last SCN under which a transaction was sealed; the next one that is assigned follows it. Called while
     * no member of a commit group commits.
     */
    Scn resume(Connection master) throws SQLException;

    /**
     * Returns all WriteSets after an SCN by the receipts of their commits, except for those that bypassed the
     * middleware; determines which commits happened. The number of clients bounds the result, because each of them
     * waits for one commit.
     */
    Map<Receipt, WriteSet> sealedAfter(Connection master, Scn after) throws SQLException;

    /**
     * Returns the sealed WriteSets after {@code after} up to {@code upTo}, in order, without gaps, at most {@code
     * limit}.
     *
     * @throws SQLException also if some of them have been dropped
     */
    List<WriteSet> sealed(Connection master, Scn after, Scn upTo, int limit) throws SQLException;

    /** Returns which of these commits happened, and their SCNs; commits before {@link #base} may be missing. */
    Map<Receipt, Scn> sealed(Connection master, List<Receipt> receipts) throws SQLException;

    /**
     * Passes the pieces of a spilled WriteSet to {@code piece}, in order.
     *
     * @throws SQLException also if pieces have been dropped; some may have been passed on by then
     */
    void spilled(Connection master, Spill spill, PieceConsumer piece) throws SQLException;

    /**
     * Removes sealed WriteSets, and pieces of spilled ones, that all present satellites have applied, as far as this is
     * cheap; never waits for locks. Called every second.
     *
     * @param applied nothing after this SCN is removed
     * @param retention the limits up to which WriteSets are kept nevertheless
     * @return the new base
     */
    Scn drop(Connection master, Scn applied, Retention retention) throws SQLException;
}
