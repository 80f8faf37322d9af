package io.multimed.middleware.node;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import org.jspecify.annotations.Nullable;

/** Reads and changes the state of a connection pool. */
final class PoolState {
    private PoolState() {}

    static boolean isStarved(HikariDataSource pool) {
        HikariPoolMXBean state = pool.getHikariPoolMXBean();
        return state != null && state.getThreadsAwaitingConnection() > 0 && state.getTotalConnections() == 0;
    }

    /** Closes all connections of a pool, those in use when they are returned. */
    static void renew(@Nullable HikariDataSource pool) {
        HikariPoolMXBean state = pool == null ? null : pool.getHikariPoolMXBean();
        if (state != null) {
            state.softEvictConnections();
        }
    }
}
