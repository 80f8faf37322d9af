// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import com.zaxxer.hikari.HikariConfig;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.pool.Pools;
import io.multimed.triggers.TriggerSql;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.regex.Pattern;
import org.postgresql.Driver;

/** The settings of pgjdbc that all connections of Multimed share. */
public final class PostgresConnections {
    /** The SQL scripts that Multimed runs on PostgreSQL. */
    public static final TriggerSql SCRIPTS = new TriggerSql("postgresql");

    /**
     * The application name of internal connections, by which a new middleware finds those of an earlier one; clients
     * can change the name of their connections.
     */
    public static final String APPLICATION = "multimed";

    /** Maximum time, in seconds, for each answer of the engine until a connection of Multimed's own is usable. */
    public static final String OPEN_SECONDS = "10";

    private static final Pattern QUERY_MODE = Pattern.compile("preferQueryMode=[^&]*");

    /** To the driver, a setting in the URL is stronger than the same setting of a pool. */
    private static final Pattern OPTIONS = Pattern.compile("(?<=[?&])options=[^&]*&?");

    /** To the driver, the setting by which it joins the inserts of a batch into one statement. */
    private static final Pattern JOINING = Pattern.compile("(?<=[?&])reWriteBatchedInserts=[^&]*&?");

    /** The types that the engine sends as text. */
    private static final String TEXT_ONLY =
            "POINT,BOX,TIMETZ,TIMESTAMPTZ,BYTEA_ARRAY,INT2_ARRAY,INT4_ARRAY,INT8_ARRAY,OID_ARRAY,FLOAT4_ARRAY,FLOAT8_ARRAY,VARCHAR_ARRAY,TEXT_ARRAY";

    static {
        // Java registers drivers once in a process: not those of an application that is loaded later, into a class
        // loader of its own. The driver registers itself when its class is loaded.
        if (!Driver.isRegistered()) {
            register();
        }
    }

    private PostgresConnections() {}

    private static void register() {
        try {
            Driver.register();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the properties of pgjdbc for a connection to a node. Timeouts are in seconds. */
    public static Properties properties(NodeAccess access) {
        Properties properties = access.credentials();
        properties.setProperty("ApplicationName", APPLICATION);
        // The driver sends these settings at the start of the session, not by SET, so that RESET ALL preserves them.
        properties.setProperty("assumeMinServerVersion", "9.0");
        properties.setProperty("connectTimeout", "5");
        properties.setProperty(
                "loginTimeout", OPEN_SECONDS); // an engine that hangs accepts connections and answers nothing
        properties.setProperty("tcpKeepAlive", "true");
        // Clients repeat statements: from its second execution on, a statement remains prepared in the engine.
        properties.setProperty("prepareThreshold", "2");
        // The driver cannot restore the engine's text of these types from their binary form, or applies its own time
        // zone rules.
        properties.setProperty("binaryTransferDisable", TEXT_ONLY);
        // The driver would describe columns by the names that their tables had when it first saw them.
        properties.setProperty("databaseMetadataCacheFields", "0");
        // Protects the middleware from results that are read completely: the engine's driver refuses results above this
        // share of the heap.
        properties.setProperty("socketFactory", MeteredSockets.class.getName());
        access.socket().ifPresent(path -> properties.setProperty("socketFactoryArg", path.toString()));
        properties.setProperty("maxResultBuffer", PostgresErrorFields.RESULT_PERCENT + "p");
        return properties;
    }

    /**
     * Opens a connection for Multimed's own work, with auto-commit off. The caller closes the connection. A network
     * that drops all packets does not block this method, nor the statement.
     *
     * @param properties as from {@link #properties}, which are changed
     * @param first statement that the session begins with; empty for none
     */
    public static Connection open(NodeAccess access, Properties properties, String first) throws SQLException {
        properties.setProperty("socketTimeout", OPEN_SECONDS);
        Connection opened = DriverManager.getConnection(access.url(), properties);
        if (!first.isEmpty()) {
            try (Statement statement = opened.createStatement()) {
                statement.execute(first);
            }
        }
        opened.setAutoCommit(false);
        opened.setNetworkTimeout(Runnable::run, 0);
        return opened;
    }

    /**
     * Configures a pool of connections for clients' statements. Each message on these connections contains one
     * statement.
     */
    public static HikariConfig pool(NodeAccess access, int size, String kind) {
        HikariConfig config = Pools.of(access, size, kind, properties(access), new PostgresErrors());
        config.setJdbcUrl(oneByOne(access.url()));
        return config;
    }

    /**
     * Returns the URL without the setting by which the driver joins the inserts of a batch: it would not report the
     * rows of each of them.
     */
    public static String separateInserts(String url) {
        return JOINING.matcher(url).replaceAll("");
    }

    /**
     * Sets the query mode {@code extended} in the URL of the engine, whatever the System Model sets there: the engine
     * then accepts one statement per message, and refuses statements that are hidden from the driver's parser
     * (architecture 4.7). Removes the options of the session, which are those of the pool: without them, a satellite
     * would not keep snapshots, and would not refuse changes.
     */
    static String oneByOne(String url) {
        return OPTIONS.matcher(QUERY_MODE.matcher(url).replaceAll("preferQueryMode=extended"))
                .replaceAll("");
    }
}
