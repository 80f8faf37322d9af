// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** A master with unsuitable settings is refused with a message that lists all wrong settings and remedies. */
@Tag("slow")
@Timeout(300)
@Tag("exhaustive")
class MasterSettingsTest {
    private static final String MODEL = """
            engine: %s
            share-cores: true
            nodes:
            - name: master
              role: master
              memory: 128m
              settings:
                log_bin: changes
                server_id: 1
                sync_binlog: 0
                binlog_format: STATEMENT
                innodb_flush_log_at_trx_commit: 2
                innodb_rollback_on_timeout: 1
                loose_innodb_snapshot_isolation: 0
                default_tmp_storage_engine: MEMORY
            """;

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldReportAllSettingsThatMayLoseOrReorderCommits(String engine) {
        String ofEngine = engine.equals("mariadb")
                ? "innodb_snapshot_isolation must be ON"
                : "default_tmp_storage_engine must be InnoDB";
        assertThatThrownBy(() -> TestCluster.of(MODEL.formatted(engine)).close())
                .hasMessageContaining("the master cannot be used")
                .hasMessageContaining("innodb_flush_log_at_trx_commit must be 1")
                .hasMessageContaining("sync_binlog must be 1, or log_bin off")
                .hasMessageContaining("binlog_format must be ROW or MIXED, or log_bin off")
                .hasMessageContaining("innodb_rollback_on_timeout must be OFF")
                .hasMessageContaining(ofEngine)
                .extracting("SQLState")
                .isEqualTo("0A000");
    }

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldGiveSatellitesTheSettingsOnWhichAnswersDepend(String engine) throws Exception {
        String model = """
                engine: %s
                share-cores: true
                nodes:
                - name: master
                  role: master
                  memory: 128m
                  settings:
                    div_precision_increment: 8
                    group_concat_max_len: 5
                    max_sort_length: 64
                    loose_max_recursive_iterations: 3
                    loose_default_regex_flags: DOTALL
                    loose_block_encryption_mode: aes-256-ecb
                - {name: satellite, role: satellite, memory: 128m}
                """;
        try (TestCluster cluster = TestCluster.of(model.formatted(engine)).awaitOnline();
                Connection client = cluster.connect()) {
            Sql.run(client, "CREATE TABLE answers (n INT PRIMARY KEY)", "INSERT INTO answers VALUES (1), (2), (3333)");
            client.setReadOnly(true);
            for (String query : List.of(
                    "SELECT 1 / 3 + n FROM answers",
                    "SELECT GROUP_CONCAT(n) FROM answers",
                    "SELECT 'a\\nb' REGEXP 'a.b' FROM answers",
                    "SELECT HEX(AES_ENCRYPT('a', 'key')) FROM answers",
                    "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 10) SELECT COUNT(*) FROM r, answers")) {
                Sql.text(client, query);
                assertThat(Sql.node(client)).as(query).isEqualTo("satellite");
                cluster.assertEqualToMaster(client, query);
            }
        }
    }

    /** MariaDB refuses lost updates itself, whereas Multimed certifies the commits of MySQL: neither would happen. */
    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldRefuseAServerOfAnotherEngineThanTheModelNames(String engine) throws Exception {
        String other = engine.equals("mariadb") ? "mysql" : "mariadb";
        String model = """
                engine: %s
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m}
                """;
        try (TestCluster cluster = TestCluster.of(model.formatted(engine))) {
            cluster.middleware().close();
            assertThatThrownBy(() -> cluster.startMiddleware(model.formatted(other)))
                    .hasMessageContaining("but the System Model says engine: " + other)
                    .extracting("SQLState")
                    .isEqualTo("0A000");
        }
    }
}
