// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.RoleUsers.user;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Changes of temporary tables that have the name of a replicated table. */
@Tag("slow")
@Timeout(300)
class TemporaryTableDdlTest {
    private static final String COUNT = "SELECT COUNT(*) FROM item";

    /** The comment is lost when the table is removed from the satellite and copied again. */
    private static final String COMMENT =
            "SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'shop' AND TABLE_NAME = 'item'";

    @TempDir
    private Path folder;

    /** The engine requires no further privilege for a temporary table, and satellites keep the replicated table. */
    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldConcernTheSessionOnly(String engine) throws Exception {
        Path file = folder.resolve("users");
        new UsersFile(List.of(user("boss", null), user("temper", "temper"))).write(file);
        try (TestCluster cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                listen: {users-file: '%s'}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine, file)).awaitOnline()) {
            RoleUsers.asBoss(
                    cluster,
                    "CREATE TABLE item (id INT PRIMARY KEY)",
                    "INSERT INTO item VALUES (1), (2)",
                    "GRANT CREATE TEMPORARY TABLES ON shop.* TO temper");
            cluster.awaitApplied();
            try (Connection satellite = cluster.direct("satellite")) {
                run(satellite, "ALTER TABLE item COMMENT 'the first copy'");
            }
            for (String who : List.of("boss", "temper")) {
                try (Connection client = RoleUsers.connect(cluster, who)) {
                    run(
                            client,
                            "CREATE TEMPORARY TABLE item (a INT)",
                            "ALTER TABLE item ADD b INT",
                            "CREATE INDEX i ON item (a)",
                            "INSERT INTO item VALUES (7, 8)");
                    assertThat(text(client, "SELECT CONCAT(a, b) FROM item")).isEqualTo("78");
                    run(client, "TRUNCATE TABLE item");
                    assertThat(text(client, COUNT)).isEqualTo("0");
                    run(client, "DROP TABLE item");
                }
            }
            cluster.awaitApplied();
            try (Connection satellite = cluster.direct("satellite")) {
                assertThat(text(satellite, COUNT)).isEqualTo("2");
                assertThat(text(satellite, COMMENT)).isEqualTo("the first copy");
            }
        }
    }
}
