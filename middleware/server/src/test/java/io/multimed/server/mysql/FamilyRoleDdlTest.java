// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.RoleUsers.awaitSatellite;
import static io.multimed.server.testing.RoleUsers.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Schema changes of a role whose connection breaks. */
@Tag("slow")
@Timeout(300)
@Tag("exhaustive")
class FamilyRoleDdlTest {
    private static final int POOL = 5;
    private static final String WAITING =
            "SELECT COALESCE(MAX(ID), 0) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'ALTER TABLE owned%' AND STATE LIKE 'Waiting for table metadata lock'";

    @TempDir
    private Path folder;

    private static CompletableFuture<Void> start(Connection client, String statement) {
        return CompletableFuture.runAsync(() -> {
            try {
                run(client, statement);
            } catch (SQLException e) {
                throw new CompletionException(e);
            }
        });
    }

    /** The session that has announced the change serves other clients while the statement runs. */
    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void aBrokenConnectionEndsNoTransactionOfOthers(String engine) throws Exception {
        Path file = folder.resolve("users");
        new UsersFile(List.of(user("boss", null), user("maker", null))).write(file);
        try (TestCluster cluster =
                TestCluster.of("""
                engine: %s
                share-cores: true
                listen: {users-file: '%s'}
                freshness: {wait: 10s}
                nodes:
                - {name: master, role: master, memory: 128m, pool: %d}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine, file, POOL)).awaitOnline()) {
            RoleUsers.asBoss(
                    cluster,
                    "CREATE TABLE owned (id INT PRIMARY KEY)",
                    "CREATE TABLE note (v INT PRIMARY KEY)",
                    "GRANT ALL ON shop.* TO maker");
            List<Connection> others = new ArrayList<>();
            try (Connection maker = RoleUsers.connect(cluster, "maker");
                    Connection blocker = cluster.direct("master");
                    Connection watch = cluster.direct("master")) {
                blocker.setAutoCommit(false);
                text(blocker, "SELECT COUNT(*) FROM owned");
                CompletableFuture<Void> change = start(maker, "ALTER TABLE owned ADD COLUMN v INT");
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> !text(watch, WAITING).equals("0"));
                for (int i = 0; i < POOL - 1; i++) {
                    Connection other = RoleUsers.connect(cluster, "boss");
                    others.add(other);
                    other.setAutoCommit(false);
                    run(other, "INSERT INTO note VALUES (%d)".formatted(i));
                }
                run(watch, "KILL " + text(watch, WAITING));
                assertThatThrownBy(change::join).hasCauseInstanceOf(SQLException.class);
                blocker.rollback();
                try (Connection reader = RoleUsers.connect(cluster, "maker")) {
                    awaitSatellite(reader, "SELECT COUNT(*) FROM owned");
                }
                for (Connection other : others) {
                    other.commit();
                }
                assertThat(text(watch, "SELECT COUNT(*) FROM note")).isEqualTo(String.valueOf(POOL - 1));
            } finally {
                for (Connection other : others) {
                    other.close();
                }
            }
        }
    }
}
