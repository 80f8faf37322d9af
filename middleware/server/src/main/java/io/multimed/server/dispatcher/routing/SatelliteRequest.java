package io.multimed.server.dispatcher.routing;

import io.multimed.engine.sql.TableNames.QualifiedName;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.session.Route;
import io.multimed.server.node.ComputationalNode;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A read-only transaction that needs a node. The selector calls exactly one of {@link #bind} and {@link #fail}, once,
 * on any thread; no method may block.
 */
public abstract class SatelliteRequest {
    final Scn needed;

    /** The tables that the transaction will read, as it names them; null if it may read any table. */
    final @Nullable Set<String> tables;

    /** A node on which the transaction has just failed, and which must not be selected again. */
    final @Nullable ComputationalNode except;

    final long nanos = System.nanoTime();

    /** The number of the request among those that wait. Set under the selector's lock. */
    long arrival;

    public SatelliteRequest(Scn needed, @Nullable Set<String> tables, @Nullable ComputationalNode except) {
        this.needed = needed;
        this.tables = tables;
        this.except = except;
    }

    /**
     * Returns the tables and views that the names of tables in a statement may stand for now, and the tables behind
     * them; null if that is not known.
     */
    protected abstract @Nullable Set<QualifiedName> relations(Set<String> named);

    /** Runs the transaction on the node: a satellite that shows {@link #needed}, or the master. */
    protected abstract void bind(ComputationalNode node, Route why);

    /** Fails the transaction, because no node became available in time. */
    protected abstract void fail(SQLException cause);
}
