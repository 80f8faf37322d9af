// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import java.io.PrintWriter;
import java.io.Writer;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A renewed pool returns no connection whose session began before, even if the pool received it later. */
@Timeout(60)
class RenewedPoolTest {
    private final CountDownLatch opening = new CountDownLatch(1);
    private final CountDownLatch renewed = new CountDownLatch(1);
    private final List<Connection> opened = new ArrayList<>();

    /** Opens the first connection only after the renewal of the pool, with a session that has begun before. */
    private final class SlowSource implements DataSource {
        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = connection();
            synchronized (opened) {
                opened.add(connection);
            }
            opening.countDown();
            try {
                assertThat(renewed.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new SQLException(e);
            }
            return connection;
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }

        @Override
        public PrintWriter getLogWriter() {
            return new PrintWriter(Writer.nullWriter());
        }

        @Override
        public void setLogWriter(PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }

        @Override
        public <T> T unwrap(Class<T> type) {
            throw new IllegalArgumentException();
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }

    /** Returns a connection that is valid, and does nothing. */
    private static Connection connection() {
        return (Connection) Proxy.newProxyInstance(
                RenewedPoolTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    case "isValid", "getAutoCommit" -> true;
                    case "isClosed", "isReadOnly" -> false;
                    case "getNetworkTimeout" -> 0;
                    case "getTransactionIsolation" -> Connection.TRANSACTION_READ_COMMITTED;
                    default -> null;
                });
    }

    @Test
    void shouldPassOverAConnectionThatWasBeingOpened() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setDataSource(new SlowSource());
        config.setMaximumPoolSize(1);
        config.setInitializationFailTimeout(-1);
        try (HikariConnectionPool pool = new HikariConnectionPool(config)) {
            assertThat(opening.await(30, TimeUnit.SECONDS)).isTrue();
            pool.renew();
            renewed.countDown();
            try (Connection leased = pool.getConnection()) {
                Connection own = leased.unwrap(Connection.class);
                synchronized (opened) {
                    assertThat(opened).hasSizeGreaterThan(1).contains(own);
                    assertThat(own).isNotSameAs(opened.get(0));
                }
            }
        }
    }
}
