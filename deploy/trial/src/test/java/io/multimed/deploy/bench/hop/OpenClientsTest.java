// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.bench.workload.Workload;
import io.multimed.tpcw.run.Target;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests connections and measurements with a driver that refuses connections beyond a number. */
@Timeout(60)
class OpenClientsTest {
    private static final Target TARGET = new Target("limited", "jdbc:limited:", "", "");

    private final LimitedDriver driver = new LimitedDriver();

    /** Accepts a limited number of open connections, which can only be closed. */
    private static final class LimitedDriver implements Driver {
        private static final int LIMIT = 6;
        private final AtomicInteger open = new AtomicInteger();

        @Override
        public @Nullable Connection connect(String url, Properties info) throws SQLException {
            if (!acceptsURL(url)) {
                return null;
            }
            if (open.incrementAndGet() > LIMIT) {
                open.decrementAndGet();
                throw new SQLException("too many\n clients", "53300");
            }
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            open.decrementAndGet();
                        }
                        return null;
                    });
        }

        @Override
        public boolean acceptsURL(String url) {
            return url.equals(TARGET.url());
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
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            throw new SQLFeatureNotSupportedException();
        }
    }

    @BeforeEach
    void register() throws SQLException {
        DriverManager.registerDriver(driver);
    }

    @AfterEach
    void deregister() throws SQLException {
        DriverManager.deregisterDriver(driver);
    }

    @Test
    void shouldReportTheFirstRefusalOnceAndCloseWhatIsOpen() {
        assertThatThrownBy(() -> OpenClients.connect(TARGET, 5_000, 4))
                .isInstanceOf(RefusedException.class)
                .hasMessage("6 of 5,000 clients connected, then: too many clients (SQLState 53300)");
        assertThat(driver.open).hasValue(0);
    }

    @Test
    void shouldDivideTheClientsAmongTheThreads() throws Exception {
        try (OpenClients clients = OpenClients.connect(TARGET, 5, 3)) {
            assertThat(clients.shares()).extracting(List::size).containsExactly(2, 2, 1);
        }
        assertThat(driver.open).hasValue(0);
    }

    @Test
    void shouldLetAllClientsTakePartAndCountFailures() throws Exception {
        int clients = 5;
        AtomicInteger[] runs = new AtomicInteger[clients];
        Workload workload = new Workload() {
            @Override
            public void prepare(Connection connection) {}

            @Override
            public Client open(Connection connection, int number) {
                runs[number] = new AtomicInteger();
                return new Client() {
                    @Override
                    public void execute() throws SQLException {
                        int run = runs[number].incrementAndGet();
                        if (number == 3) {
                            throw new SQLException("broken", "08006");
                        }
                        if (number == 4 && run == 1) {
                            throw new SQLException("once", "40001");
                        }
                    }

                    @Override
                    public void close() {}
                };
            }
        };
        try (OpenClients open = OpenClients.connect(TARGET, clients, 2)) {
            Sample sample = new Measurement(
                            open, workload, Map.of(ProcessHandle.current().pid(), "client"))
                    .run(0.05, 0.2);
            assertThat(sample.nanos().getTotalCount()).isPositive();
            assertThat(sample.errors()).isEqualTo(2);
            assertThat(sample.errorTexts())
                    .containsExactlyInAnyOrder("broken (SQLState 08006)", "once (SQLState 40001)");
            assertThat(runs[3]).as("a broken connection is given up").hasValue(1);
            assertThat(runs[4].get()).isGreaterThan(1);
            assertThat(runs[0].get()).isCloseTo(runs[1].get(), Offset.offset(1));
        }
    }
}
