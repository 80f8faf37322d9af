// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.Copies;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Reads that need large temporary tables. */
@Tag("exhaustive")
@Timeout(300)
class FamilyTemporaryFilesTest {
    /** Needs a temporary table of more than 64 MB, the limit of MariaDB's satellite. MySQL has no such limit. */
    private static final String LARGE =
            "SELECT COUNT(*) FROM (SELECT DISTINCT a.v, b.id FROM item a CROSS JOIN item b WHERE b.id <= 300) x";

    private static TestCluster start(String engine) throws Exception {
        TestCluster cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 64m}
                """.formatted(engine)).awaitOnline();
        cluster.run(
                "CREATE TABLE item (id INT PRIMARY KEY, v VARCHAR(200))",
                "INSERT INTO item VALUES (1, RPAD(1, 192, 'x'))");
        for (int rows = 1; rows < 2_000; rows *= 2) {
            cluster.run("INSERT INTO item SELECT id + %1$d, RPAD(id + %1$d, 192, 'x') FROM item".formatted(rows));
        }
        cluster.awaitApplied();
        return cluster;
    }

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldRunOnTheMasterWhatNeedsMoreThanTheLimit(String engine) throws Exception {
        try (TestCluster cluster = start(engine)) {
            Copies copies = Copies.of(cluster, "satellite").mark();
            try (Connection connection = cluster.connect()) {
                assertThat(text(connection, LARGE)).isEqualTo(String.valueOf(2048 * 300));
                assertThat(Sql.node(connection)).isEqualTo(engine.equals("mariadb") ? "master" : "satellite");
                text(connection, "SELECT COUNT(*) FROM item");
                assertThat(Sql.node(connection)).isEqualTo("satellite");
            }
            copies.assertSame();
        }
    }

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldKeepTemporaryFilesOnDisk(String engine) throws Exception {
        try (TestCluster cluster = start(engine);
                Connection satellite = cluster.direct("satellite")) {
            Path data = Path.of(text(satellite, "SELECT @@datadir"));
            for (String setting :
                    engine.equals("mysql") ? List.of("tmpdir", "innodb_temp_tablespaces_dir") : List.of("tmpdir")) {
                Path folder = Path.of(text(satellite, "SELECT @@" + setting));
                assertThat(folder.isAbsolute()).isTrue();
                assertThat(folder.startsWith(data.getParent()))
                        .as("%s beside %s", folder, data)
                        .isFalse();
            }
        }
    }
}
