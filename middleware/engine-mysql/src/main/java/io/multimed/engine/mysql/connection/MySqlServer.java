// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import io.multimed.triggers.TriggerSql;
import java.sql.Connection;
import java.sql.SQLException;

/** Knows facts about the servers of the family. */
public final class MySqlServer {
    /** The SQL scripts that Multimed runs on the servers of the family. */
    public static final TriggerSql SCRIPTS = new TriggerSql("mysql");

    /** The name of MariaDB in the System Model. */
    public static final String MARIADB = "mariadb";

    private MySqlServer() {}

    /**
     * Returns whether the server is MariaDB, regardless of the engine that the System Model names. The driver knows
     * the version since the login, so that no request is sent.
     */
    public static boolean isMariaDb(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseProductVersion().contains("MariaDB");
    }
}
