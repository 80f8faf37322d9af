package io.multimed.engine.pool;

import com.zaxxer.hikari.HikariConfig;
import io.multimed.engine.dialect.ErrorClassifier;
import java.sql.SQLException;
import java.util.Properties;

/** What engines' pools have in common. */
public final class Pools {
    /** How long it is tried to reach an engine. */
    public static final int CONNECT_MILLIS = 5_000;

    /** How long the others in its group wait for a statement's connection; without one it runs outside. */
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
        config.setInitializationFailTimeout(-1); // a node that is down at first is tried again, not given up
        return config;
    }

    /**
     * Of the master's: each new connection is admitted in a transaction of its own, which HikariCP would otherwise leave open for its first user.
     *
     * @param admission what a connection runs first; fails if another middleware has the master
     */
    public static HikariConfig admitted(HikariConfig config, String admission) {
        config.setConnectionInitSql(admission);
        config.setIsolateInternalQueries(true);
        return config;
    }

    /**
     * Whether the pool has closed a connection in use, because the engine broke it or did not answer: HikariCP reports
     * this without an SQLState.
     */
    public static boolean isClosedByPool(SQLException failure) {
        return failure.getSQLState() == null && "Connection is closed".equals(failure.getMessage());
    }

    /** Of connections for which others in a commit group would have to wait. */
    public static HikariConfig shortTimeouts(HikariConfig config) {
        config.setConnectionTimeout(IMPATIENT_CONNECT_MILLIS);
        config.setMinimumIdle(0);
        return config;
    }
}
