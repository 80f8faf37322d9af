// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.routing;

import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.session.Route;
import io.multimed.server.node.ComputationalNode;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A read-only transaction that needs a node. The selector calls exactly one of the two methods, once, on any thread;
 * neither may block.
 */
public abstract class SatelliteRequest {
    final Scn needed;

    /** An earlier SCN that is sufficient if no satellite shows {@link #needed}; otherwise {@link #needed}. */
    final Scn acceptable;

    final ReadTarget target;

    /** A node on which the transaction has just failed, and which must not be selected again. */
    final @Nullable ComputationalNode except;

    final long nanos = System.nanoTime();

    /** The number of the request among those that wait. Set under the selector's lock. */
    long arrival;

    public SatelliteRequest(Scn needed, Scn acceptable, ReadTarget target, @Nullable ComputationalNode except) {
        this.needed = needed;
        this.acceptable = acceptable;
        this.target = target;
        this.except = except;
    }

    /** Runs the transaction on the node: a satellite that shows {@link #needed}, or the master. */
    protected abstract void bind(ComputationalNode node, Route why);

    /** Returns whether the policy decides if no satellite is fresh in time; otherwise the master runs the request. */
    protected boolean needsSatellite() {
        return true;
    }

    /** Fails the transaction, because no node became available in time. */
    protected abstract void fail(SQLException cause);
}
