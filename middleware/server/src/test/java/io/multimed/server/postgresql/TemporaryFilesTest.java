// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.Copies;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads whose sorts or hash tables need more temporary files than a satellite permits. */
@Tag("exhaustive")
@Timeout(300)
class TemporaryFilesTest {
    /** Needs more than the 64 MB that are the satellite's limit. */
    private static final String LARGE =
            "SELECT count(*) FROM (SELECT DISTINCT a.v, b.id FROM item a CROSS JOIN item b WHERE b.id <= 300) x";

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of("""
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 64m}
                """).awaitOnline();
        cluster.run(
                "CREATE TABLE item (id int PRIMARY KEY, v text)",
                "INSERT INTO item SELECT i, repeat(md5(i::text), 6) FROM generate_series(1, 2000) i");
        cluster.awaitApplied();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void shouldRunOnTheMasterWhatNeedsMoreThanTheLimit() throws Exception {
        Copies copies = Copies.of(cluster, "satellite").mark();
        try (Connection connection = cluster.connect()) {
            assertThat(text(connection, LARGE)).isEqualTo("600000");
            assertThat(Sql.node(connection)).isEqualTo("master");
            assertThat(connection.unwrap(MultimedConnection.class).why()).contains("53400");
            assertThat(text(connection, "SELECT count(*) FROM item")).isEqualTo("2000");
            assertThat(Sql.node(connection)).isEqualTo("satellite");
        }
        copies.assertSame();
    }

    @Test
    void shouldContinueTransactionsOnTheMaster() throws Exception {
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            connection.setReadOnly(true);
            text(connection, "SELECT count(*) FROM item");
            assertThat(text(connection, LARGE)).isEqualTo("600000");
            assertThat(Sql.node(connection)).isEqualTo("master");
            connection.rollback();
        }
    }

    /** The snapshot of the transaction exists on the satellite only. */
    @Test
    void shouldReportTheErrorInTransactionsWithOneSnapshot() throws Exception {
        try (Connection connection = cluster.connect()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            connection.setAutoCommit(false);
            connection.setReadOnly(true);
            text(connection, "SELECT count(*) FROM item");
            assertThatThrownBy(() -> text(connection, LARGE))
                    .hasMessageContaining("temp_file_limit")
                    .extracting("SQLState")
                    .isEqualTo("53400");
            connection.rollback();
        }
    }

    /** The limit is for reads: a satellite must be able to build each index that the master has. */
    @Test
    void shouldBuildIndexesWithoutALimit() throws Exception {
        try (TestCluster small = TestCluster.of("""
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 64m, settings: {temp_file_limit: 1MB, maintenance_work_mem: 1MB}}
                """).awaitOnline()) {
            small.run(
                    "CREATE TABLE item AS SELECT md5(i::text) AS v FROM generate_series(1, 100000) i",
                    "ALTER TABLE item ADD PRIMARY KEY (v)",
                    "CREATE INDEX later ON item (reverse(v))");
            small.awaitApplied();
            try (Connection satellite = small.direct("satellite")) {
                assertThat(text(satellite, "SELECT count(*) FROM pg_indexes WHERE tablename = 'item'"))
                        .isEqualTo("2");
                assertThat(text(satellite, "SELECT count(*) FROM item")).isEqualTo("100000");
            }
        }
    }

    @Test
    void shouldKeepTemporaryFilesOnDisk() throws Exception {
        try (Connection satellite = cluster.direct("satellite")) {
            Path files = Path.of(text(satellite, "SHOW data_directory"), "base", "pgsql_tmp");
            Path folder = files.toRealPath();
            assertThat(files).isSymbolicLink();
            satellite.setAutoCommit(false);
            Sql.run(
                    satellite,
                    "SET work_mem = '64kB'",
                    "DECLARE c CURSOR WITH HOLD FOR SELECT i FROM generate_series(1, 100000) i",
                    "COMMIT");
            assertThat(files(folder)).isPositive();
        }
    }

    private static long files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.count();
        }
    }
}
