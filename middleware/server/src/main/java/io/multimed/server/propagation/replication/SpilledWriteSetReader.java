// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.replication;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.master.PieceConsumer;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Spill;
import io.multimed.server.propagation.liveness.ConnectionOpener;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the parts of large WriteSets that remained on the master, for one satellite. Because many large WriteSets may
 * follow each other, one connection serves them all. The connection is opened for the first WriteSet, and closed after
 * any failure, because a result may then be partially read. No transaction is open on it between two WriteSets. Used by
 * the satellite's applier only.
 */
final class SpilledWriteSetReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpilledWriteSetReader.class);

    private final MasterStore store;
    private final SqlDialect dialect;
    private final ConnectionOpener opener;
    private @Nullable Connection kept;

    /** @param opener opens a connection to the master, with auto-commit off */
    SpilledWriteSetReader(MasterStore store, SqlDialect dialect, ConnectionOpener opener) {
        this.store = store;
        this.dialect = dialect;
        this.opener = opener;
    }

    /**
     * Passes the pieces of a WriteSet to a consumer, in order.
     *
     * @throws SQLException also if the master has discarded the pieces, or if the consumer fails; some pieces may have
     * been consumed
     */
    void read(Spill spill, PieceConsumer consumer) throws SQLException {
        Connection before = kept;
        if (before != null && readOver(before, spill, consumer)) {
            return;
        }
        Connection fresh = opener.open();
        kept = fresh;
        read(fresh, spill, consumer);
    }

    /** Returns false if the connection had broken since its last use; the consumer has received nothing then. */
    private boolean readOver(Connection before, Spill spill, PieceConsumer consumer) throws SQLException {
        RecordingConsumer recording = new RecordingConsumer(consumer);
        try {
            read(before, spill, recording);
            return true;
        } catch (SQLException e) {
            if (recording.given || !dialect.errors().isConnectionFailure(e)) {
                throw e;
            }
            LOG.debug("a connection to the master has broken; opening another one", e);
            return false;
        }
    }

    private void read(Connection connection, Spill spill, PieceConsumer consumer) throws SQLException {
        boolean whole = false;
        try {
            store.log().spilled(connection, spill, consumer);
            whole = true;
        } finally {
            if (!whole) {
                close();
            }
        }
    }

    /** Closes the connection; the next WriteSet opens another one. */
    @Override
    public void close() {
        Connection last = kept;
        kept = null;
        if (last != null) {
            try {
                last.close();
            } catch (SQLException e) {
                LOG.debug("a connection did not close cleanly", e);
            }
        }
    }

    /** Records whether the consumer has received anything. */
    private static final class RecordingConsumer implements PieceConsumer {
        private final PieceConsumer consumer;
        private boolean given;

        RecordingConsumer(PieceConsumer consumer) {
            this.consumer = consumer;
        }

        @Override
        public void receive(List<Change> changes) throws SQLException {
            given = true;
            consumer.receive(changes);
        }

        @Override
        public void content(byte[] piece) throws SQLException {
            given = true;
            consumer.content(piece);
        }
    }
}
