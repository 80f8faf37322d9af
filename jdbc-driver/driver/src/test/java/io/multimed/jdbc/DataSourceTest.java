// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc;

import static io.multimed.jdbc.ScriptedMiddleware.IN_TRANSACTION;
import static io.multimed.jdbc.ScriptedMiddleware.executed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.request.Rollback;
import io.multimed.protocol.response.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import javax.sql.PooledConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Data sources, and the connections that a pool uses again. */
@Timeout(20)
class DataSourceTest {
    private ScriptedMiddleware middleware;
    private final AtomicReference<Hello> hello = new AtomicReference<>();

    @BeforeEach
    void start() throws Exception {
        middleware = new ScriptedMiddleware(ScriptedMiddleware.POSTGRESQL);
        middleware.answering(request -> {
            if (request instanceof Hello first) {
                hello.set(first);
            }
            return request instanceof Execute ? executed(IN_TRANSACTION, new Outcome.Count(1)) : null;
        });
    }

    @AfterEach
    void close() throws Exception {
        middleware.close();
    }

    private int port() {
        return Integer.parseInt(middleware.url().replaceAll(".*:|/.*", ""));
    }

    @Test
    void shouldMakeItsUrlOfTheParts() throws SQLException {
        MultimedDataSource source = new MultimedDataSource();
        source.setServerName("127.0.0.1");
        source.setPortNumber(port());
        source.setDatabaseName("shop");
        source.setUser("me");
        source.setReadOnly(true);
        assertThat(source.getUrl()).isEqualTo(middleware.url());
        try (Connection connection = source.getConnection()) {
            assertThat(connection.isReadOnly()).isTrue();
        }
        assertThat(hello.get().user()).isEqualTo("me");
        source.getConnection("other", null).close();
        assertThat(hello.get().user()).as("the user of the call").isEqualTo("other");
        assertThat(source.unwrap(MultimedDataSource.class)).isSameAs(source);
        assertThatThrownBy(() -> source.unwrap(String.class)).isInstanceOf(SQLException.class);
    }

    @Test
    void shouldReportThatAUrlIsNotForThisDriver() {
        MultimedDataSource source = new MultimedDataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1/shop");
        assertThatThrownBy(source::getConnection)
                .hasMessage("\"jdbc:postgresql://127.0.0.1/shop\" is not a URL of the Multimed driver");
    }

    @Test
    void shouldRefuseDistributedTransactions() {
        assertThatThrownBy(() -> new MultimedXADataSource().getXAConnection())
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessage("XADataSource.getXAConnection is not supported by the Multimed driver");
    }

    private PooledConnection pooled() throws SQLException {
        MultimedConnectionPoolDataSource source = new MultimedConnectionPoolDataSource();
        source.setUrl(middleware.url());
        return source.getPooledConnection();
    }

    @Test
    void shouldRollBackAndReturnAConnectionToThePoolWhenItsHandleIsClosed() throws SQLException {
        PooledConnection pooled = pooled();
        AtomicInteger returned = new AtomicInteger();
        pooled.addConnectionEventListener(listening(returned, new AtomicInteger()));
        Connection first = pooled.getConnection();
        first.setAutoCommit(false);
        first.createStatement().execute("UPDATE item SET price = 1");
        first.close();
        first.close();
        assertThat(returned).as("events of two calls of close").hasValue(1);
        assertThat(middleware.requests(Rollback.class)).hasSize(1);
        assertThatThrownBy(first::createStatement).hasMessage("This connection has been closed.");
        Connection second = pooled.getConnection();
        assertThat(second.getAutoCommit()).isTrue();
        assertThat(second.unwrap(MultimedConnection.class).sessionId())
                .as("the same session")
                .isEqualTo(1);
        Connection third = pooled.getConnection();
        assertThat(second.isClosed()).as("by the next handle").isTrue();
        assertThat(third.isClosed()).isFalse();
        pooled.close();
        assertThat(third.isClosed()).isTrue();
    }

    @Test
    void shouldReportABrokenConnectionToThePool() throws Exception {
        PooledConnection pooled = pooled();
        AtomicInteger broken = new AtomicInteger();
        pooled.addConnectionEventListener(listening(new AtomicInteger(), broken));
        Connection handle = pooled.getConnection();
        handle.setAutoCommit(false);
        middleware.close();
        assertThatThrownBy(handle::setSavepoint).hasMessageContaining("is lost");
        assertThat(broken).as("events of broken connections").hasValue(1);
    }

    private static ConnectionEventListener listening(AtomicInteger closed, AtomicInteger broken) {
        return new ConnectionEventListener() {
            @Override
            public void connectionClosed(ConnectionEvent event) {
                closed.incrementAndGet();
            }

            @Override
            public void connectionErrorOccurred(ConnectionEvent event) {
                broken.incrementAndGet();
            }
        };
    }
}
