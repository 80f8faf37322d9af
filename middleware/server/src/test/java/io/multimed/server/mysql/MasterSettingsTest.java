package io.multimed.server.mysql;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.testing.TestCluster;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** A master with unsuitable settings is refused with a message that lists all wrong settings and remedies. */
@Timeout(300)
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
            """;

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldReportAllSettingsThatMayLoseOrReorderCommits(String engine) {
        String ofMariaDb = engine.equals("mariadb") ? "innodb_snapshot_isolation must be ON" : "";
        assertThatThrownBy(() -> TestCluster.of(MODEL.formatted(engine)).close())
                .hasMessageContaining("the master cannot be used")
                .hasMessageContaining("innodb_flush_log_at_trx_commit must be 1")
                .hasMessageContaining("sync_binlog must be 1, or log_bin off")
                .hasMessageContaining("binlog_format must be ROW or MIXED, or log_bin off")
                .hasMessageContaining("innodb_rollback_on_timeout must be OFF")
                .hasMessageContaining(ofMariaDb)
                .extracting("SQLState")
                .isEqualTo("0A000");
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
