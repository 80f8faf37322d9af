// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.pool;

import com.zaxxer.hikari.HikariConfig;
import io.multimed.engine.dialect.ErrorClassifier;
import java.sql.SQLException;
import java.util.Properties;

/** Settings that all engines' pools share. */
public final class Pools {
    /** Limits the wait for a connection. */
    public static final int CONNECT_MILLIS = 5_000;

    /**
     * Limits the same wait for grouped statements: the other members of the group wait meanwhile, and without a
     * connection the statement runs outside of the group.
     */
    private static final int IMPATIENT_CONNECT_MILLIS = 500;

    private Pools() {}

    /**
     * Configures a pool of a node's connections.
     *
     * @param kind purpose of the connections, part of the pool's name
     * @param properties of the engine's driver
     * @param errors identifies errors that break the connection
     */
    public static HikariConfig of(
            NodeAccess access, int size, String kind, Properties properties, ErrorClassifier errors) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(access.node() + "-" + kind);
        config.setJdbcUrl(access.url());
        config.setDataSourceProperties(properties);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(Math.min(size, 2));
        config.setConnectionTimeout(CONNECT_MILLIS);
        config.setExceptionOverride(new EvictionPolicy(errors::isConnectionFailure));
        config.setInitializationFailTimeout(-1); // a node that is not reachable yet is tried again
        return config;
    }

    /**
     * Configures a pool of the master: each new connection runs the admission in a transaction of its own, which
     * HikariCP would otherwise leave open for its first user.
     *
     * @param admission statement that a connection runs first; fails if another middleware owns the master
     */
    public static HikariConfig admitted(HikariConfig config, String admission) {
        config.setConnectionInitSql(admission);
        config.setIsolateInternalQueries(true);
        return config;
    }

    /**
     * Returns whether the pool has closed a connection in use, because the engine broke it or did not answer: HikariCP
     * reports this without an SQLState.
     */
    public static boolean isClosedByPool(SQLException failure) {
        return failure.getSQLState() == null && "Connection is closed".equals(failure.getMessage());
    }

    /** Configures a pool for grouped statements: short waits, and no connection before it is needed. */
    public static HikariConfig shortTimeouts(HikariConfig config) {
        config.setConnectionTimeout(IMPATIENT_CONNECT_MILLIS);
        config.setMinimumIdle(0);
        return config;
    }
}
