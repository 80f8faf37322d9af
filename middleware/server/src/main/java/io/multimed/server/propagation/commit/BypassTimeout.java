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
 * Ends sessions of others that keep all commits waiting: a transaction that bypasses the middleware and checks its deferred constraints early may stay in the gate as long as its client likes.
 * Used by the maintenance thread only.
 */
final class BypassTimeout {
    private static final Logger LOG = LoggerFactory.getLogger(BypassTimeout.class);
    private static final long LONGEST_SECONDS = 5;

    private final BypassStore store;
    private Optional<Holder> last = Optional.empty();

    /** When it was first seen there, by {@link System#nanoTime}. */
    private long since;

    BypassTimeout(BypassStore store) {
        this.store = store;
    }

    /** Called about once a second. */
    void look(Connection master) throws SQLException {
        Optional<Holder> holder = store.holder(master);
        if (!isTheSame(holder)) {
            last = holder;
            since = System.nanoTime();
        } else if (holder.isPresent() && System.nanoTime() - since > TimeUnit.SECONDS.toNanos(LONGEST_SECONDS)) {
            LOG.warn(
                    "a transaction past the middleware is ended: it has kept all commits waiting for {} s; {}",
                    LONGEST_SECONDS,
                    holder.get().who());
            store.end(master, holder.get());
        }
    }

    private boolean isTheSame(Optional<Holder> holder) {
        return holder.map(Holder::transaction).equals(last.map(Holder::transaction))
                && holder.map(Holder::session).equals(last.map(Holder::session));
    }
}
