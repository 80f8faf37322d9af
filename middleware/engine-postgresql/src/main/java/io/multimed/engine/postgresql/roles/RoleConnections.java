// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.roles;

import com.zaxxer.hikari.HikariConfig;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.HikariConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.pool.PasswordChange;
import io.multimed.engine.postgresql.connection.PostgresConnections;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.ds.common.BaseDataSource;

/**
 * Opens connections to the master that run as a role. The number of the middleware's epoch is a parameter of the
 * statement that admits a connection: sessions of the same role see each other's statements in pg_stat_activity, and a
 * client that knew the number could seal transactions itself.
 */
public final class RoleConnections extends PGSimpleDataSource implements PasswordChange {
    private static final long serialVersionUID = 1;
    private static final long IDLE_MILLIS = TimeUnit.SECONDS.toMillis(30);

    /** The plan of a seal contains its parameters, and would be a warning of the statement that is sealed with it. */
    private static final String NO_PLANS = " -c debug_print_plan=off -c client_min_messages=notice";

    private final long epoch;

    private RoleConnections(String url, Properties properties, long epoch) {
        this.epoch = epoch;
        configure(this, url, properties);
    }

    /** Sets a URL and properties, which are stronger than the same settings in the URL. */
    static void configure(BaseDataSource source, String url, Properties properties) {
        source.setUrl(url);
        for (String name : properties.stringPropertyNames()) {
            try {
                source.setProperty(name, properties.getProperty(name));
            } catch (SQLException e) {
                throw new IllegalArgumentException("pgjdbc has no property " + name, e);
            }
        }
    }

    /**
     * Creates a pool.
     *
     * @param kind as in {@link PostgresConnections#pool}
     * @param options of the engine's sessions
     * @param autoCommit whether the connections are in auto-commit mode
     */
    public static ConnectionPool pool(
            NodeAccess access, int size, String kind, String options, boolean autoCommit, long epoch) {
        HikariConfig config = PostgresConnections.pool(access, size, kind);
        config.setDataSource(source(config, options, epoch));
        config.setDataSourceProperties(new Properties());
        config.setJdbcUrl(null);
        config.setAutoCommit(autoCommit);
        config.setMinimumIdle(0);
        config.setIdleTimeout(IDLE_MILLIS);
        return new HikariConnectionPool(config);
    }

    /**
     * Opens a connection in auto-commit mode, which belongs to no pool. An engine that does not answer blocks this
     * method for a limited time.
     */
    public static Connection open(NodeAccess access, String options, long epoch) throws SQLException {
        HikariConfig config = PostgresConnections.pool(access, 1, "role-group"); // for its URL and its properties
        config.setJdbcUrl(PostgresConnections.separateInserts(config.getJdbcUrl()));
        config.getDataSourceProperties().setProperty("socketTimeout", PostgresConnections.OPEN_SECONDS);
        Connection opened = source(config, options + NO_PLANS, epoch).getConnection();
        opened.setNetworkTimeout(Runnable::run, 0);
        return opened;
    }

    private static RoleConnections source(HikariConfig config, String options, long epoch) {
        Properties properties = config.getDataSourceProperties();
        // Stronger than ALTER ROLE: an error of the admission must not contain its parameter.
        properties.setProperty("options", options + " -c log_parameter_max_length_on_error=0");
        return new RoleConnections(config.getJdbcUrl(), properties, epoch);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection opened = super.getConnection();
        try (Statement transaction = opened.createStatement();
                PreparedStatement admission = opened.prepareStatement("SELECT multimed.enter(?)")) {
            transaction.execute("BEGIN READ WRITE"); // sessions for reads begin read-only transactions by default
            admission.setLong(1, epoch);
            admission.execute();
            transaction.execute("COMMIT");
            return opened;
        } catch (SQLException e) {
            opened.close();
            throw e;
        }
    }
}
