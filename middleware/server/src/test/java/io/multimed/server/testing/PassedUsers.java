// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import static io.multimed.engine.conformance.Sql.run;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * Logins of users who are passed through to the master.
 *
 * @param cluster has the administrator {@code boss}
 * @param certificate that of the middleware
 */
public record PassedUsers(TestCluster cluster, Path certificate) {
    /** Logs in as a role of the master. */
    public Connection connect(String user, String password) throws SQLException {
        String verified = "?requireAuth=password&sslMode=verify-full&sslRootCert=" + certificate;
        return DriverManager.getConnection(cluster.url() + verified, user, password);
    }

    /** Runs statements as the administrator. */
    public void asBoss(String... statements) throws SQLException {
        try (Connection boss = DriverManager.getConnection(cluster.url() + "?sslMode=require", "boss", "bossboss")) {
            run(boss, statements);
        }
    }

    /** Checks that a login is refused without a reason by which a client could tell users apart. */
    public void assertWrong(String user, String password) {
        assertThatThrownBy(() -> connect(user, password))
                .hasMessage("password authentication failed for user \"%s\"".formatted(user))
                .extracting("SQLState")
                .isEqualTo("28P01");
    }

    /** Checks the error of an action. */
    public static void assertRefused(ThrowingCallable action, String state, String message) {
        assertThatThrownBy(action)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining(message)
                .extracting("SQLState")
                .isEqualTo(state);
    }
}
