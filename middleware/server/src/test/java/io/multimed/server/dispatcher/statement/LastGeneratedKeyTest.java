// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.Engines;
import io.multimed.engine.dialect.LastKeys;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The engine has not undone a statement whose key cannot be read: the connection must not be used any more. */
class LastGeneratedKeyTest {
    private static SQLException interruption() {
        return new SQLException("Query execution was interrupted", "70100", 1317);
    }

    /** Stands for an object that no method of the test uses. */
    private static <T> T unused(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            throw new UnsupportedOperationException(method.getName());
        }));
    }

    private static LastGeneratedKey interrupted(boolean changed) {
        return new LastGeneratedKey(Optional.of(new LastKeys() {
            @Override
            public boolean mayHaveChanged(Statement executed) {
                return changed;
            }

            @Override
            public String take(Connection connection) throws SQLException {
                throw interruption();
            }

            @Override
            public void restore(Connection connection, String key) {}
        }));
    }

    @Test
    void shouldReportAKeyThatCannotBeReadAsALostConnection() throws SQLException {
        Statement executed = unused(Statement.class);
        Connection connection = unused(Connection.class);
        interrupted(false).ranOnShared(executed, connection);
        assertThatThrownBy(() -> interrupted(true).ranOnShared(executed, connection))
                .hasMessageContaining("Query execution was interrupted")
                .isInstanceOfSatisfying(SQLException.class, failure -> {
                    assertThat(failure.getSQLState()).isEqualTo("08006");
                    assertThat(Engines.of("mariadb").dialect().errors().isConnectionFailure(failure))
                            .isTrue();
                    assertThat(Engines.of("mariadb").dialect().errors().isConnectionFailure(interruption()))
                            .isFalse();
                });
    }
}
