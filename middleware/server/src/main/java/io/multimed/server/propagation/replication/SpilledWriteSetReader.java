package io.multimed.server.propagation.replication;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.master.PieceConsumer;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Spill;
import io.multimed.server.propagation.commit.ConnectionOpener;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads, for one satellite, what stayed on the master of large WriteSets. There may be many of these in a row: so all are read over one connection, which is opened for the first of them and
 * kept for the next. It is closed after any failure, whoever's it was, because a result may be half read then. No transaction is open on it between two WriteSets. Used by the
 * satellite's applier only.
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
     * Gives one piece after another, in order.
     *
     * @throws SQLException also if they have been dropped on the master, or if the consumer fails; some may have been given then
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

    /** Returns false if the connection had broken since it was used last: nothing has been given then. */
    private boolean readOver(Connection before, Spill spill, PieceConsumer consumer) throws SQLException {
        Noting noting = new Noting(consumer);
        try {
            read(before, spill, noting);
            return true;
        } catch (SQLException e) {
            if (noting.given || !dialect.isConnectionFailure(e)) {
                throw e;
            }
            LOG.debug("a connection to the master had broken and is opened anew", e);
            return false;
        }
    }

    private void read(Connection connection, Spill spill, PieceConsumer consumer) throws SQLException {
        boolean whole = false;
        try {
            store.spilled(connection, spill, consumer);
            whole = true;
        } finally {
            if (!whole) {
                close();
            }
        }
    }

    /** The next WriteSet is read over another connection. */
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

    /** Knows whether anything was given. */
    private static final class Noting implements PieceConsumer {
        private final PieceConsumer consumer;
        private boolean given;

        Noting(PieceConsumer consumer) {
            this.consumer = consumer;
        }

        @Override
        public void accept(List<Change> changes) throws SQLException {
            given = true;
            consumer.accept(changes);
        }

        @Override
        public void content(byte[] piece) throws SQLException {
            given = true;
            consumer.content(piece);
        }
    }
}
