// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.roles;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.pool.ConnectionPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;

/** The connections of a role are opened again after changes of privileges. */
@Tag("slow")
@Timeout(300)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class RolePoolTest extends RoleMasterTest {
    private static final String WAITING_LOGIN =
            "SELECT INFO FROM information_schema.PROCESSLIST WHERE INFO LIKE 'REPLACE INTO multimed.role_session%' AND STATE LIKE 'Waiting for%lock'";

    RolePoolTest(String engine) {
        super(engine);
    }

    private static Connection lease(ConnectionPool pool) {
        try {
            return pool.getConnection();
        } catch (SQLException e) {
            throw new CompletionException(e);
        }
    }

    private static String number(Connection leased) throws SQLException {
        return text(leased, "SELECT CONNECTION_ID()");
    }

    @Test
    void shouldLeaseNoConnectionFromBeforeTheLastChange() throws SQLException {
        try (ConnectionPool pool = master.pool()) {
            String before;
            try (Connection first = pool.getConnection()) {
                before = number(first);
            }
            pool.renew();
            try (Connection second = pool.getConnection()) {
                assertThat(number(second)).isNotEqualTo(before);
            }
        }
    }

    /** Otherwise a client that changes privileges in a loop would keep the clients of all roles waiting. */
    @Test
    void shouldNotBeginAgainWhenPrivilegesChangeDuringALogin() throws SQLException {
        try (ConnectionPool pool = master.pool();
                Connection lock = master.connect();
                Connection watch = master.connect()) {
            watch.setAutoCommit(true);
            run(lock, "LOCK TABLES multimed.role_session WRITE");
            CompletableFuture<Connection> leased = CompletableFuture.supplyAsync(() -> lease(pool));
            AtomicReference<String> login = new AtomicReference<>();
            await("the login waits").until(() -> {
                login.set(text(watch, WAITING_LOGIN));
                return login.get() != null;
            });
            pool.renew();
            run(lock, "UNLOCK TABLES");
            try (Connection connection = leased.join()) {
                assertThat(login.get()).contains("(" + number(connection) + ",");
            }
        }
    }
}
