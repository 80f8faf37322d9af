// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import io.multimed.triggers.TriggerSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Knows facts about the servers of the family. */
public final class MySqlServer {
    /** The SQL scripts that Multimed runs on the servers of the family. */
    public static final TriggerSql SCRIPTS = new TriggerSql("mysql");

    /** The name of MariaDB in the System Model. */
    public static final String MARIADB = "mariadb";

    private static final Pattern MARIADB_VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\.\\d+-MariaDB");

    private MySqlServer() {}

    /**
     * Returns whether the server is MariaDB, regardless of the engine that the System Model names. The driver knows
     * the version since the login, so that no request is sent.
     */
    public static boolean isMariaDb(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseProductVersion().contains("MariaDB");
    }

    /**
     * Returns whether information_schema.TABLES lists the temporary tables of a session, or the server lists them
     * elsewhere: MariaDB does so from 11.2 on.
     *
     * @param version as the server reports it, such as {@code 5.5.5-10.11.6-MariaDB}
     */
    public static boolean listsTemporaryTables(String version) {
        Matcher mariaDb = MARIADB_VERSION.matcher(version);
        if (!mariaDb.find()) {
            return true;
        }
        int major = Integer.parseInt(mariaDb.group(1));
        return major > 11 || (major == 11 && Integer.parseInt(mariaDb.group(2)) >= 2);
    }
}
