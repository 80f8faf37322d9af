// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.load;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** SQL that differs between engines, for tests that are otherwise the same on all engines. */
public enum EngineSql {
    POSTGRESQL(
            "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
            "SET work_mem = '8MB'",
            "SELECT pg_sleep(%d), pg_backend_pid()",
            "random()",
            "clock_timestamp()",
            "('x' || substr(md5(t::text), 1, 15))::bit(60)::bigint"),
    MYSQL_FAMILY(
            "bigint AUTO_INCREMENT PRIMARY KEY",
            "SET SESSION sort_buffer_size = 400000",
            "SELECT SLEEP(%d), CONNECTION_ID()",
            "RAND()",
            "SYSDATE(6)",
            "CAST(CONV(LEFT(SHA2(CONCAT_WS('|', %s), 256), 15), 16, 10) AS UNSIGNED)");

    private final String identity;
    private final String setting;
    private final String sleep;
    private final String random;
    private final String clock;
    private final String number;

    EngineSql(String identity, String setting, String sleep, String random, String clock, String number) {
        this.identity = identity;
        this.setting = setting;
        this.sleep = sleep;
        this.random = random;
        this.clock = clock;
        this.number = number;
    }

    public static EngineSql of(String engine) {
        return engine.equals("postgresql") ? POSTGRESQL : MYSQL_FAMILY;
    }

    /** Returns the type of a primary key whose values the engine assigns. */
    public String identity() {
        return identity;
    }

    /** Returns a statement that creates state in the engine's session. */
    public String setting() {
        return setting;
    }

    /** Returns a query that takes a number of seconds and runs on the master only. */
    public String sleep(int seconds) {
        return sleep.formatted(seconds);
    }

    /** Returns an expression with a random value. */
    String random() {
        return random;
    }

    /** Returns an expression with the time in microseconds, evaluated for each row. */
    String clock() {
        return clock;
    }

    /** Returns a query for the number of rows of a table, and for a checksum that does not depend on their order. */
    String digest(Connection connection, String table) throws SQLException {
        String columns = String.join(", ", columns(connection, table));
        String query = "SELECT COUNT(*), COALESCE(SUM(%s), 0) FROM %s AS t".formatted(number.formatted(columns), table);
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1) + " " + row.getString(2);
        }
    }

    private static List<String> columns(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet none = statement.executeQuery("SELECT * FROM " + table + " WHERE 1 = 0")) {
            ResultSetMetaData data = none.getMetaData();
            List<String> columns = new ArrayList<>();
            for (int i = 1; i <= data.getColumnCount(); i++) {
                columns.add("COALESCE(%s, '-')".formatted(data.getColumnName(i)));
            }
            return columns;
        }
    }
}
