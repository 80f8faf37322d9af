// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.master.PieceConsumer;
import io.multimed.engine.master.Retention;
import io.multimed.engine.master.SealedLog;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** Nothing is kept on the master: see {@link NoReceipt}. */
public final class UnwrittenReceipts implements SealedLog {
    @Override
    public boolean knowsEachOutcome() {
        return false;
    }

    @Override
    public Scn base(Connection master) {
        return Scn.ZERO;
    }

    @Override
    public Scn resume(Connection master) throws SQLException {
        return PositionForce.position(master);
    }

    @Override
    public Map<Receipt, WriteSet> sealedAfter(Connection master, Scn after) {
        return Map.of();
    }

    @Override
    public List<WriteSet> sealed(Connection master, Scn after, Scn upTo, int limit) {
        return List.of();
    }

    @Override
    public Map<Receipt, Scn> sealed(Connection master, List<Receipt> receipts) {
        return Map.of();
    }

    @Override
    public void spilled(Connection master, Spill spill, PieceConsumer piece) throws SQLException {
        throw new SQLException("the rows of this WriteSet are in the engine's log only", "0A000");
    }

    @Override
    public Scn drop(Connection master, Scn applied, Retention retention) {
        return Scn.ZERO;
    }
}
