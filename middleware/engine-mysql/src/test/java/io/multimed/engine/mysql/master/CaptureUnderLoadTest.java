// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.LaunchedEngine;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.engine.mysql.MySqlEngine;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Puts tables under capture, as a change of the model does, while the middleware discards old WriteSets. */
@Timeout(300)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
@Tag("exhaustive")
class CaptureUnderLoadTest {
    private static final ReplicatedTables NONE = new ReplicatedTables(false, Set.of());
    private static final int TABLES = 20;

    private static LaunchedEngine master;

    private final MySqlCaptureInstaller installer;

    CaptureUnderLoadTest(String engine) {
        this.installer = new MySqlCaptureInstaller(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String name) {
        master = new LaunchedEngine(name);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        master.close();
    }

    private static Connection connect() throws SQLException {
        RunningEngine engine = master.running();
        Connection connection = new MySqlEngine()
                .connect(new NodeAccess("master", engine.jdbcUrl(), engine.user(), engine.password(), engine.socket()));
        connection.setAutoCommit(false);
        return connection;
    }

    /** The cleanup and the number of the next form share a row. */
    @Test
    void shouldCaptureTablesWhileWriteSetsAreDiscarded() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        try (Connection master = connect()) {
            installer.install(master, NONE, false);
            for (int i = 0; i < TABLES; i++) {
                run(master, "CREATE TABLE t%d (a INT PRIMARY KEY)".formatted(i));
            }
            CompletableFuture<Void> cleanup = CompletableFuture.runAsync(() -> moveBase(done));
            installer.captureTables(master, ReplicatedTables.ALL);
            done.set(true);
            cleanup.join();
            assertThat(text(master, "SELECT COUNT(*) FROM multimed.relation")).isEqualTo(String.valueOf(TABLES));
            run(master, "DROP TABLE t3");
            installer.captureTables(master, ReplicatedTables.ALL);
            assertThat(text(master, "SELECT COUNT(*) FROM multimed.relation"))
                    .as("without the table that has gone")
                    .isEqualTo(String.valueOf(TABLES - 1));
        } finally {
            done.set(true);
        }
    }

    /** Changes the row as {@link SealedLogCleanup} does. */
    private static void moveBase(AtomicBoolean done) {
        try (Connection connection = connect()) {
            while (!done.get()) {
                run(connection, "UPDATE multimed.base SET scn = scn + 1");
                connection.commit();
            }
        } catch (SQLException e) {
            throw new CompletionException(e);
        }
    }
}
