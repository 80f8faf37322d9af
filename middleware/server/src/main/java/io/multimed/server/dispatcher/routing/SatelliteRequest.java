package io.multimed.server.dispatcher.routing;

import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.session.Route;
import io.multimed.server.node.ComputationalNode;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A read-only transaction that looks for a node. Exactly one of the two methods is called, once, on any thread; neither may block. */
public abstract class SatelliteRequest {
    final Scn needed;

    /** The tables that it will read; null if it may read any. */
    final @Nullable Set<String> tables;

    /** A node that just failed it, not to be chosen again. */
    final @Nullable ComputationalNode except;

    final long nanos = System.nanoTime();

    public SatelliteRequest(Scn needed, @Nullable Set<String> tables, @Nullable ComputationalNode except) {
        this.needed = needed;
        this.tables = tables;
        this.except = except;
    }

    /** Here it can run: a satellite that shows {@link #needed}, or the master. */
    protected abstract void bind(ComputationalNode node, Route why);

    /** Nowhere in time. */
    protected abstract void fail(SQLException cause);
}
