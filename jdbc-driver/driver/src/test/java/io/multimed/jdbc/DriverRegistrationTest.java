// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the effects of loading the driver on the other drivers of the application. */
class DriverRegistrationTest {
    private static final String AMBIGUOUS = "jdbc:mysql:multimed://127.0.0.1:1/shop";

    private final List<Driver> registered = new ArrayList<>();

    @AfterEach
    void deregister() throws SQLException {
        for (Driver driver : registered) {
            DriverManager.deregisterDriver(driver);
        }
    }

    private GreedyDriver register() throws SQLException {
        GreedyDriver driver = new GreedyDriver();
        DriverManager.registerDriver(driver);
        registered.add(driver);
        return driver;
    }

    private static List<Driver> drivers() {
        return DriverManager.drivers().toList();
    }

    @Test
    void shouldRegisterItselfAndLeaveOtherDriversAloneWhenItIsLoaded() throws Exception {
        GreedyDriver other = register();
        List<Driver> before = drivers();
        try (URLClassLoader loader = new OwnCopies()) {
            Class<?> copy = Class.forName("io.multimed.jdbc.MultimedDriver", true, loader);
            assertThat(copy).isNotEqualTo(MultimedDriver.class);
        }
        assertThat(drivers())
                .as("drivers after another copy of ours was loaded")
                .isEqualTo(before);
        assertThat(other.asked)
                .as("URLs that our driver asked the other driver about")
                .isZero();
    }

    @Test
    void shouldBeRegisteredAsAServiceAndByLoadingItsClass() throws SQLException {
        assertThat(DriverManager.getDriver("jdbc:multimed://127.0.0.1:1/shop")).isInstanceOf(MultimedDriver.class);
    }

    @Test
    void shouldComeBeforeADriverThatAcceptsTheSameUrlOnlyIfTheApplicationPrefersIt() throws SQLException {
        GreedyDriver other = register();
        List<Driver> own =
                drivers().stream().filter(MultimedDriver.class::isInstance).toList();
        for (Driver driver : own) { // so that the other driver is asked first
            DriverManager.deregisterDriver(driver);
        }
        for (Driver driver : own) {
            DriverManager.registerDriver(driver);
        }
        assertThat(DriverManager.getDriver(AMBIGUOUS)).isSameAs(other);
        DriverRegistration.preferMultimed();
        assertThat(DriverManager.getDriver(AMBIGUOUS)).isInstanceOf(MultimedDriver.class);
        assertThat(DriverManager.getDriver("jdbc:mysql://127.0.0.1/shop")).isSameAs(other);
    }

    @Test
    void shouldNotMoveADriverThatAcceptsOtherUrlsOnly() throws SQLException {
        GreedyDriver modest = register();
        modest.accepted = "jdbc:mysql://";
        List<Driver> before = drivers();
        DriverRegistration.preferMultimed();
        assertThat(drivers()).isEqualTo(before);
    }

    @Test
    void shouldAcceptItsThreeFormatsAndNoUrlOfAnotherDriver() {
        MultimedDriver driver = new MultimedDriver();
        assertThat(Stream.of("jdbc:multimed://h/d", "jdbc:multimed:mysql://h/d", "jdbc:postgresql:multimed://h/d"))
                .allMatch(driver::acceptsURL);
        assertThat(Stream.of(
                        "jdbc:postgresql://h/d", "jdbc:mysql://multimed/d", "jdbc:oracle:multimed://h/d", "multimed"))
                .noneMatch(driver::acceptsURL);
        assertThat(driver.acceptsURL(null)).isFalse();
    }

    /** Loads the driver once more, so that its classes are initialized again, and everything else as usual. */
    private static final class OwnCopies extends URLClassLoader {
        OwnCopies() {
            super(
                    new URL[] {
                        MultimedDriver.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                    },
                    DriverRegistrationTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean own = name.startsWith("io.multimed.jdbc.") && !name.contains("Test");
            Class<?> loaded = own ? findLoadedClass(name) : super.loadClass(name, resolve);
            return loaded == null ? findClass(name) : loaded;
        }
    }

    /** Accepts what begins in a certain way, as drivers of engines do. */
    private static final class GreedyDriver implements Driver {
        private String accepted = "jdbc:mysql:";
        private int asked;

        @Override
        public boolean acceptsURL(String url) {
            asked++;
            return url.startsWith(accepted);
        }

        @Override
        public @Nullable Connection connect(String url, Properties info) {
            return null;
        }

        @Override
        public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
            return new DriverPropertyInfo[0];
        }

        @Override
        public int getMajorVersion() {
            return 1;
        }

        @Override
        public int getMinorVersion() {
            return 0;
        }

        @Override
        public boolean jdbcCompliant() {
            return false;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }
    }
}
