// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.multimed.deploy.launcher.EachEngine;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** A pool queries and sets properties at unpredictable times: none of these calls may determine the route. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("standbys")
@Tag("embedded")
class HikariTest {
    private static Shop shop;

    /** Calls that pools and frameworks make on a connection before its first statement. */
    private interface Habit {
        void on(Connection connection) throws SQLException;
    }

    private static final List<Habit> HABITS = List.of(
            connection -> {},
            connection -> connection.getMetaData().getDatabaseProductName(),
            connection -> connection.isValid(5),
            connection -> {
                connection.setAutoCommit(false);
                connection.setAutoCommit(true);
            },
            connection -> {
                connection.setReadOnly(false);
                connection.getTransactionIsolation();
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            },
            connection -> {
                connection.getMetaData().supportsGetGeneratedKeys();
                connection.getCatalog();
                connection.getWarnings();
                connection.clearWarnings();
                connection.setNetworkTimeout(Runnable::run, 5_000);
            },
            Connection::getSchema);

    private final String engine;

    HikariTest(String engine) {
        this.engine = engine;
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        shop = Shop.withItem(engine);
    }

    private HikariConfig config() {
        HikariConfig config = new HikariConfig();
        config.setPoolName("shop-on-" + engine);
        config.setJdbcUrl(shop.url());
        config.setUsername("tester");
        config.setMaximumPoolSize(2);
        return config;
    }

    @Test
    void shouldReadOnSatellitesAndWriteOnTheMasterRegardlessOfEarlierStatements() throws SQLException {
        try (HikariDataSource pool = new HikariDataSource(config())) {
            int written = stock(pool);
            for (Habit habit : HABITS) {
                try (Connection connection = pool.getConnection()) {
                    habit.on(connection);
                    read(connection, written);
                    assertThat(Shop.lastNode(connection)).startsWith("satellite");
                    habit.on(connection);
                    written += write(connection);
                    assertThat(Shop.lastNode(connection)).isEqualTo("master");
                    habit.on(connection);
                    read(connection, written);
                    assertThat(Shop.lastNode(connection)).startsWith("satellite");
                }
            }
            assertThat(shop.onMaster("SELECT stock FROM item WHERE id = 1")).isEqualTo(written);
        }
    }

    @Test
    void shouldSendReadOnlyTransactionsToSatellitesAndTheNextTransactionOfTheSameConnectionToTheMaster()
            throws SQLException {
        HikariConfig config = config();
        config.setAutoCommit(false);
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            int written = stock(pool);
            for (Habit habit : HABITS.subList(0, 3)) {
                try (Connection connection = pool.getConnection()) {
                    connection.setReadOnly(true);
                    habit.on(connection);
                    read(connection, written);
                    read(connection, written);
                    assertThat(Shop.lastNode(connection)).startsWith("satellite");
                    connection.commit();
                }
                try (Connection connection = pool.getConnection()) {
                    habit.on(connection);
                    read(connection, written);
                    written += write(connection);
                    read(connection, written);
                    assertThat(Shop.lastNode(connection)).isEqualTo("master");
                    connection.commit();
                }
            }
        }
    }

    @Test
    void shouldRollBackAnOpenTransactionWhenAConnectionIsReturned() throws SQLException {
        HikariConfig config = config();
        config.setAutoCommit(false);
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            int before = stock(pool);
            try (Connection connection = pool.getConnection()) {
                write(connection);
            }
            assertThat(stock(pool)).isEqualTo(before);
        }
    }

    @Test
    void shouldTakeTheTestQueryAndInitStatementOfOldConfigurations() throws SQLException {
        HikariConfig config = config();
        config.setConnectionTestQuery("SELECT 1");
        config.setConnectionInitSql("SELECT 1");
        config.setDriverClassName("io.multimed.jdbc.MultimedDriver");
        config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        try (HikariDataSource pool = new HikariDataSource(config);
                Connection connection = pool.getConnection()) {
            read(connection, stock(pool));
            assertThat(Shop.lastNode(connection)).startsWith("satellite");
        }
    }

    private static int stock(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT stock FROM item WHERE id = 1")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void read(Connection connection, int expected) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT stock FROM item WHERE id = 1")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getInt(1)).isEqualTo(expected);
        }
    }

    private static int write(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate("UPDATE item SET stock = stock + 1 WHERE id = 1");
        }
    }
}
