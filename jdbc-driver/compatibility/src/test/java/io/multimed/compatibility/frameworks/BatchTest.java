// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.multimed.deploy.launcher.EachEngine;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Tests failures in batches: frameworks read the details of the exception, and continue with the connection. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("standbys")
@Tag("embedded")
class BatchTest {
    private static Shop shop;

    private final Idiom idiom;

    BatchTest(String engine) {
        idiom = Idiom.of(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        shop = Shop.of(engine);
        shop.run("DROP TABLE IF EXISTS item", "CREATE TABLE item (id int PRIMARY KEY)", "INSERT INTO item VALUES (1)");
    }

    @Test
    void shouldChainTheEnginesErrorBehindThatOfTheBatch() throws SQLException {
        try (Connection connection = DriverManager.getConnection(shop.url(), "tester", "");
                Statement statement = connection.createStatement()) {
            statement.addBatch("INSERT INTO item VALUES (1)");
            BatchUpdateException failure = catchThrowableOfType(BatchUpdateException.class, statement::executeBatch);
            Throwable behind = failure.getNextException() == null ? failure.getCause() : failure.getNextException();
            assertThat(behind)
                    .isInstanceOf(SQLIntegrityConstraintViolationException.class)
                    .hasMessageContaining(idiom.duplicate());
        }
    }

    @Test
    void shouldRefuseTheEndsOfTransactionsInABatchAndGoOn() throws SQLException {
        try (Connection connection = DriverManager.getConnection(shop.url(), "tester", "");
                Statement statement = connection.createStatement()) {
            statement.addBatch("BEGIN");
            assertThatThrownBy(statement::executeBatch).isInstanceOf(SQLFeatureNotSupportedException.class);
            statement.clearBatch();
            statement.addBatch("UPDATE item SET id = id");
            assertThat(statement.executeBatch()).hasSize(1);
        }
    }

    /**
     * The engine's own driver fails in this case, and may leave its connection between two messages. No client may
     * receive this connection again.
     */
    @Test
    void shouldNotReuseAConnectionAfterItsDriverFailed() throws SQLException {
        try (Connection connection = DriverManager.getConnection(shop.url(), "tester", "")) {
            for (int i = 0; i < 20; i++) {
                try (PreparedStatement two =
                        connection.prepareStatement("UPDATE item SET id = 1; UPDATE item SET id = 1")) {
                    two.addBatch();
                    two.addBatch();
                    assertThatThrownBy(two::executeBatch).isInstanceOf(SQLException.class);
                }
                try (PreparedStatement one = connection.prepareStatement("UPDATE item SET id = 1 WHERE id = 1")) {
                    one.addBatch();
                    one.addBatch();
                    assertThat(one.executeBatch()).containsExactly(1, 1);
                }
            }
        }
    }
}
