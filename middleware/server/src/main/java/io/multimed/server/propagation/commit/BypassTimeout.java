// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.master.BypassStore;
import io.multimed.engine.master.BypassStore.Holder;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends sessions of other applications that block all commits for more than {@value #MAX_SECONDS} seconds. A
 * transaction that bypasses the middleware and checks its deferred constraints early holds the commit lock until its
 * client commits, which may take any time. Used by the maintenance thread only.
 */
final class BypassTimeout {
    private static final Logger LOG = LoggerFactory.getLogger(BypassTimeout.class);
    private static final long MAX_SECONDS = 5;

    private final BypassStore store;
    private Optional<Holder> last = Optional.empty();

    /** Time at which this holder was first seen, by {@link System#nanoTime}. */
    private long since;

    BypassTimeout(BypassStore store) {
        this.store = store;
    }

    /** Compares the holder of the commit lock with that of the previous call. Called about once per second. */
    void check(Connection master) throws SQLException {
        Optional<Holder> holder = store.holder(master);
        if (!isTheSame(holder)) {
            last = holder;
            since = System.nanoTime();
        } else if (holder.isPresent() && System.nanoTime() - since > TimeUnit.SECONDS.toNanos(MAX_SECONDS)) {
            LOG.warn(
                    "ending a session on the master that bypasses the middleware: it has blocked all commits for {} s; {}",
                    MAX_SECONDS,
                    holder.get().who());
            store.end(master, holder.get());
        }
    }

    private boolean isTheSame(Optional<Holder> holder) {
        return holder.map(Holder::transaction).equals(last.map(Holder::transaction))
                && holder.map(Holder::session).equals(last.map(Holder::session));
    }
}
