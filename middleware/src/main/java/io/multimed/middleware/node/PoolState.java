package io.multimed.middleware.node;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;

/** What a pool says of itself. */
final class PoolState {
    private PoolState() {}

    static boolean isStarved(HikariDataSource pool) {
        HikariPoolMXBean state = pool.getHikariPoolMXBean();
        return state != null && state.getThreadsAwaitingConnection() > 0 && state.getTotalConnections() == 0;
    }
}
