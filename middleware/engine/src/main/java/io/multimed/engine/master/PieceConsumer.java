// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.master;

import io.multimed.engine.writeset.Change;
import java.sql.SQLException;
import java.util.List;

/** Receives a spilled WriteSet piece by piece (architecture 4.3). An exception ends the transfer. */
public interface PieceConsumer {
    /** Accepts the changes of one piece. */
    void receive(List<Change> changes) throws SQLException;

    /**
     * Accepts the next bytes of the {@link Change.LargeRowChange} that was the last change; called once for each of its
     * pieces, column by column.
     */
    void content(byte[] piece) throws SQLException;
}
