package io.multimed.middleware.node;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import org.jspecify.annotations.Nullable;

/** What a pool says of itself, and is told. */
final class PoolState {
    private PoolState() {}

    static boolean isStarved(HikariDataSource pool) {
        HikariPoolMXBean state = pool.getHikariPoolMXBean();
        return state != null && state.getThreadsAwaitingConnection() > 0 && state.getTotalConnections() == 0;
    }

    /** Has the connections that there are closed, at once or when they come back. */
    static void renew(@Nullable HikariDataSource pool) {
        HikariPoolMXBean state = pool == null ? null : pool.getHikariPoolMXBean();
        if (state != null) {
            state.softEvictConnections();
        }
    }
}
