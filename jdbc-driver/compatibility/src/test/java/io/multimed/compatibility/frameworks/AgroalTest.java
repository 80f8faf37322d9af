// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import static org.assertj.core.api.Assertions.assertThat;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.jdbc.MultimedDriver;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Tests the pool of Quarkus and WildFly, which restores properties of connections by its own rules. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("embedded")
class AgroalTest {
    private static Shop shop;

    AgroalTest(String engine) {
        assertThat(engine).isEqualTo(shop.idiom().engine());
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        shop = Shop.withItem(engine);
    }

    private static AgroalDataSource pool(boolean autoCommit) throws SQLException {
        return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(pool -> pool.maxSize(1)
                        .acquisitionTimeout(Duration.ofSeconds(30))
                        .connectionValidator(ConnectionValidator.defaultValidator())
                        .validateOnBorrow(true)
                        .connectionFactoryConfiguration(factory -> factory.connectionProviderClass(MultimedDriver.class)
                                .jdbcUrl(shop.url())
                                .principal(new NamePrincipal("tester"))
                                .jdbcTransactionIsolation(TransactionIsolation.REPEATABLE_READ)
                                .autoCommit(autoCommit))));
    }

    @Test
    void shouldReadOnSatellitesAndWriteOnTheMaster() throws SQLException {
        try (AgroalDataSource pool = pool(true)) {
            for (int round = 0; round < 3; round++) {
                try (Connection connection = pool.getConnection()) {
                    int before = stock(connection);
                    assertThat(Shop.lastNode(connection)).startsWith("satellite");
                    write(connection);
                    assertThat(Shop.lastNode(connection)).isEqualTo("master");
                    assertThat(stock(connection)).isEqualTo(before + 1);
                    assertThat(Shop.lastNode(connection)).startsWith("satellite");
                }
            }
        }
    }

    @Test
    void shouldRestoreReadOnlyAndTheIsolationLevelForTheNextBorrower() throws SQLException {
        try (AgroalDataSource pool = pool(true)) {
            try (Connection connection = pool.getConnection()) {
                connection.setReadOnly(true);
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                stock(connection);
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.isReadOnly()).isFalse();
                assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
                write(connection);
            }
        }
    }

    @Test
    void shouldEndTransactionsOfAPoolWithoutAutoCommit() throws SQLException {
        try (AgroalDataSource pool = pool(false)) {
            int before;
            try (Connection connection = pool.getConnection()) {
                before = stock(connection);
                write(connection);
                connection.rollback();
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(stock(connection)).isEqualTo(before);
                write(connection);
                connection.commit();
            }
            assertThat(shop.onMaster("SELECT stock FROM item WHERE id = 1")).isEqualTo(before + 1);
        }
    }

    private static int stock(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT stock FROM item WHERE id = 1")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void write(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE item SET stock = stock + 1 WHERE id = 1");
        }
    }
}
