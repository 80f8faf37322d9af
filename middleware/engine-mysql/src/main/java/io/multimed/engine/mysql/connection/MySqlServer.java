package io.multimed.engine.mysql.connection;

import io.multimed.triggers.TriggerSql;
import java.sql.Connection;
import java.sql.SQLException;

/** Facts about the servers of the family. */
public final class MySqlServer {
    /** The SQL scripts that Multimed runs on the servers of the family. */
    public static final TriggerSql SCRIPTS = new TriggerSql("mysql");

    private MySqlServer() {}

    /** Returns whether the server is MariaDB, regardless of the engine that the System Model names. */
    public static boolean isMariaDb(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseProductVersion().contains("MariaDB");
    }
}
