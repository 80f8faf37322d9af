package io.multimed.engine.postgresql.connection;

import com.zaxxer.hikari.HikariConfig;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.pool.Pools;
import io.multimed.triggers.TriggerSql;
import java.util.Properties;
import java.util.regex.Pattern;

/** The settings of pgjdbc that all connections of Multimed share. */
public final class PostgresConnections {
    /** The SQL scripts that Multimed runs on PostgreSQL. */
    public static final TriggerSql SCRIPTS = new TriggerSql("postgresql");

    /**
     * The application name of internal connections, by which a new middleware finds those of an earlier one; clients can
     * change the name of their connections.
     */
    public static final String APPLICATION = "multimed";

    private static final Pattern QUERY_MODE = Pattern.compile("preferQueryMode=[^&]*");

    private PostgresConnections() {}

    /** Returns the properties of pgjdbc for a connection to a node. */
    public static Properties properties(NodeAccess access) {
        Properties properties = access.credentials();
        properties.setProperty("ApplicationName", APPLICATION);
        // The driver sends these settings at the start of the session, not by SET, so that RESET ALL preserves them.
        properties.setProperty("assumeMinServerVersion", "9.0");
        properties.setProperty("connectTimeout", "5");
        properties.setProperty("loginTimeout", "10"); // an engine that hangs takes connections and answers nothing
        properties.setProperty("tcpKeepAlive", "true");
        // Clients send the same statements over and over: keep them prepared in the engine from the second time on.
        properties.setProperty("prepareThreshold", "2");
        // Of these types the driver cannot restore the engine's text, or uses its own time zone rules for it.
        properties.setProperty("binaryTransferDisable", "POINT,BOX,TIMETZ,TIMESTAMPTZ");
        // Protects the middleware from results that are read completely: the engine's driver refuses results above this
        // share of the heap.
        properties.setProperty("socketFactory", MeteredSockets.class.getName());
        properties.setProperty("maxResultBuffer", PostgresErrorFields.RESULT_PERCENT + "p");
        return properties;
    }

    /** Configures a pool of connections on which each message contains one statement. */
    public static HikariConfig pool(NodeAccess access, int size, String kind) {
        HikariConfig config = Pools.of(access, size, kind, properties(access), new PostgresErrors());
        config.setJdbcUrl(oneByOne(access.url()));
        return config;
    }

    /**
     * Each message contains one statement, so that the engine refuses statements that are hidden from the driver,
     * regardless of the parameters in the URL of the engine.
     */
    static String oneByOne(String url) {
        return QUERY_MODE.matcher(url).replaceAll("preferQueryMode=extended");
    }
}
