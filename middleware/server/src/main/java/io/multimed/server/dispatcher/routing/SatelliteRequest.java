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

    /** An earlier SCN that is sufficient if no satellite shows {@link #needed}; otherwise {@link #needed}. */
    final Scn acceptable;

    /** The tables that the transaction will read, as it names them; null if it may read any table. */
    final @Nullable Set<String> tables;

    /** The name of the only node that may run the transaction, besides the master; null for any. */
    final @Nullable String node;

    /** The name of the routing class, which the satellite must serve. */
    final String className;

    /** A node on which the transaction has just failed, and which must not be selected again. */
    final @Nullable ComputationalNode except;

    final long nanos = System.nanoTime();

    /** The number of the request among those that wait. Set under the selector's lock. */
    long arrival;

    public SatelliteRequest(
            Scn needed,
            Scn acceptable,
            @Nullable Set<String> tables,
            @Nullable String node,
            String className,
            @Nullable ComputationalNode except) {
        this.needed = needed;
        this.acceptable = acceptable;
        this.tables = tables;
        this.node = node;
        this.className = className;
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
