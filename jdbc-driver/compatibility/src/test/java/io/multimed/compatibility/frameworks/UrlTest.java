// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.jdbc.DriverRegistration;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.jdbc.MultimedDriver;
import io.multimed.protocol.wire.Protocol;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Tests how a tool finds the driver and determines the engine. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class UrlTest {
    private static Shop shop;

    private final Idiom idiom;

    UrlTest(String engine) {
        idiom = Idiom.of(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        shop = Shop.of(engine);
    }

    private Class<?> enginesConnection() throws ClassNotFoundException {
        return Class.forName(idiom.connection());
    }

    @Test
    void shouldBeAskedBeforeThePostgresDriverIfTheApplicationPrefersIt() throws Exception {
        String url = shop.engineUrl().replace("jdbc:" + idiom.engine() + ":", "jdbc:postgresql:");
        assertThat(new org.postgresql.Driver().acceptsURL(url)).isTrue();
        DriverRegistration.preferMultimed();
        assertThat(DriverManager.getDriver(url)).isInstanceOf(MultimedDriver.class);
    }

    @Test
    void shouldAcceptAllFormatsOfTheUrl() throws SQLException {
        DriverRegistration.preferMultimed();
        assertThat(shop.engineUrl()).startsWith("jdbc:" + idiom.engine() + ":multimed:");
        for (String url : List.of(shop.url(), shop.engineUrl(), shop.safeUrl())) {
            assertThat(DriverManager.getDriver(url)).isInstanceOf(MultimedDriver.class);
            try (Connection connection = DriverManager.getConnection(url, "tester", "");
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT 42")) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(42);
                assertThat(connection.isWrapperFor(MultimedConnection.class)).isTrue();
                assertThat(connection.getMetaData().getURL()).isEqualTo(url);
                assertThat(connection.getMetaData().getDatabaseProductName())
                        .isEqualTo(url.equals(shop.url()) ? idiom.product() : idiom.named());
                assertThat(connection.getMetaData().getDriverName()).isEqualTo("Multimed JDBC Driver");
            }
        }
    }

    /** A pool that instantiates the engine's driver because of the URL would connect to another database with it. */
    @Test
    void shouldHaveAFormatThatNoOtherDriverAccepts() throws Exception {
        assertThat(shop.safeUrl()).startsWith("jdbc:multimed:" + idiom.engine() + "://");
        Driver engines = Class.forName(idiom.driver())
                .asSubclass(Driver.class)
                .getConstructor()
                .newInstance();
        assertThat(engines.acceptsURL(shop.safeUrl())).isFalse();
        HikariConfig pool = new HikariConfig();
        pool.setDriverClassName(idiom.driver()); // as Spring Boot derives it from the beginning of the URL
        pool.setJdbcUrl(shop.safeUrl());
        assertThatThrownBy(() -> new HikariDataSource(pool)).hasMessageContaining("claims to not accept jdbcUrl");
        assertThatThrownBy(() -> DriverManager.getConnection(
                        shop.safeUrl().replace(idiom.engine(), "postgresql").replace("jdbc:", "jdbc:mysql:")))
                .hasMessageContaining("names two engines: mysql and postgresql");
    }

    @Test
    void shouldLeaveTheEnginesDriverItsOwnUrls() throws Exception {
        try (Connection direct = shop.master()) {
            assertThat(direct.isWrapperFor(enginesConnection())).isTrue();
            assertThat(DriverManager.getDriver(direct.getMetaData().getURL()))
                    .isInstanceOf(Class.forName(idiom.driver()));
        }
        String scheme = "jdbc:%s:".formatted(idiom.engine());
        assertThat(new MultimedDriver().acceptsURL(scheme + "//localhost/multimed"))
                .isFalse();
        assertThat(new MultimedDriver().connect(scheme + "multimed", new Properties()))
                .isNull();
    }

    /** Runs the driver with nothing else on its class path, so that a dependency on the engine's driver would fail. */
    @Test
    void shouldNeedNothingOfTheEnginesDriver() throws Exception {
        URL[] own = {home(MultimedDriver.class), home(Protocol.class)};
        try (URLClassLoader alone = new URLClassLoader(own, ClassLoader.getPlatformClassLoader())) {
            Driver driver = (Driver) alone.loadClass("io.multimed.jdbc.MultimedDriver")
                    .getConstructor()
                    .newInstance();
            assertThat(driver.getClass().getClassLoader()).isSameAs(alone);
            try (Connection connection = driver.connect(shop.engineUrl(), new Properties())) {
                assertThat(connection.getMetaData().getDatabaseProductName()).isEqualTo(idiom.named());
            } finally {
                DriverManager.drivers()
                        .filter(registered -> registered.getClass().getClassLoader() == alone)
                        .forEach(UrlTest::deregister);
            }
        }
    }

    private static URL home(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    private static void deregister(Driver driver) {
        try {
            DriverManager.deregisterDriver(driver);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldRefuseAUrlThatNamesAnotherEngine() {
        String other = idiom.engine().equals("postgresql") ? "mysql" : "postgresql";
        String wrong = shop.url().replace("jdbc:", "jdbc:%s:".formatted(other));
        assertThatThrownBy(() -> DriverManager.getConnection(wrong, "tester", ""))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("names the engine " + other)
                .hasMessageContaining(idiom.product());
    }

    @Test
    void shouldReportErrorsInAUrl() {
        assertThatThrownBy(() ->
                        DriverManager.getConnection("jdbc:%s:multimed://127.0.0.1:7411".formatted(idiom.engine())))
                .hasMessageContaining("names no database");
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:multimed:shop"))
                .hasMessageContaining("is not of the form");
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:multimed://one:7411,two:7411/shop"))
                .hasMessageContaining("names several hosts");
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:multimed://nowhere.invalid:7411/shop"))
                .hasMessageContaining("nowhere.invalid:7411: unknown host;");
    }

    @Test
    void shouldNotShowThePasswordOfAUrlThatIsWrong() {
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:multimed://me:geheim@127.0.0.1:7411/shop"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("names a user before the host")
                .hasMessageNotContaining("geheim");
        assertThatThrownBy(() -> DriverManager.getConnection(shop.url() + "?user=me&password=100%geheim"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("in the value of the property password: write %25")
                .hasMessageNotContaining("geheim");
    }

    @Test
    void shouldRefuseClearlyToBeUnwrappedToTheEnginesOwnConnection() throws Exception {
        try (Connection connection = DriverManager.getConnection(shop.url(), "tester", "")) {
            assertThat(connection.isWrapperFor(enginesConnection())).isFalse();
            assertThatThrownBy(() -> connection.unwrap(enginesConnection()))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining(idiom.connection())
                    .hasMessageContaining("many engine connections");
        }
    }

    @Test
    void shouldAnswerMetadataOfTheEngineWithoutARequest() throws SQLException {
        try (Connection connection = DriverManager.getConnection(shop.url(), "tester", "");
                Connection direct = shop.master()) {
            String name = connection.getMetaData().getDatabaseProductName();
            String version = direct.getMetaData().getDatabaseProductVersion();
            long reads = shop.readsOfMaster();
            for (int i = 0; i < 28_744; i++) {
                assertThat(connection.getMetaData().getDatabaseProductName()).isSameAs(name);
                assertThat(connection.getMetaData().getDatabaseProductVersion()).isEqualTo(version);
            }
            assertThat(shop.readsOfMaster()).isEqualTo(reads);
        }
    }

    @Test
    void shouldThrowTheClassThatBelongsToTheState() throws SQLException {
        assumeTrue(idiom.engine().equals("postgresql"), "of the others, MariaDbDifferenceTest compares every error");
        try (Connection connection = DriverManager.getConnection(shop.url(), "tester", "");
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute("SELECT 1/0")).isInstanceOf(java.sql.SQLDataException.class);
            assertThatThrownBy(() -> statement.execute("SELEC")).isInstanceOf(java.sql.SQLSyntaxErrorException.class);
            assertThatThrownBy(() -> statement.execute("COPY a TO STDOUT"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class);
            assertThatThrownBy(() -> statement.execute("DO $$ BEGIN RAISE unique_violation; END $$"))
                    .isInstanceOf(java.sql.SQLIntegrityConstraintViolationException.class);
            assertThatThrownBy(() -> statement.execute("DO $$ BEGIN RAISE deadlock_detected; END $$"))
                    .isInstanceOf(java.sql.SQLTransactionRollbackException.class);
            statement.setQueryTimeout(1);
            assertThatThrownBy(() -> statement.execute("SELECT pg_sleep(20)"))
                    .isInstanceOf(java.sql.SQLTimeoutException.class);
        }
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:multimed://127.0.0.1:1/shop"))
                .isInstanceOf(SQLNonTransientConnectionException.class);
    }
}
