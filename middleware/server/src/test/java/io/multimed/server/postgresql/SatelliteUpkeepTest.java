// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.Copies;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements whose effect on a satellite is no part of the copy: statistics, and indexes. */
@Timeout(300)
@Tag("slow")
class SatelliteUpkeepTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of("""
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """).awaitOnline();
        cluster.run("CREATE SCHEMA lab", "CREATE TABLE item (id int PRIMARY KEY)");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** Statistics are shared, whatever names the statement has. */
    @Test
    void shouldAnalyzeSatellites() throws Exception {
        try (Connection connection = cluster.connect()) {
            Sql.run(
                    connection,
                    "CREATE TABLE lab.counted AS SELECT i FROM generate_series(1, 100) i",
                    "SET search_path = lab",
                    "ANALYZE counted (i)");
            cluster.awaitApplied();
            try (Connection satellite = cluster.direct("satellite")) {
                assertThat(Sql.text(satellite, "SELECT count(*) FROM pg_stats WHERE tablename = 'counted'"))
                        .isEqualTo("1");
            }
            Sql.run(connection, "DROP TABLE counted");
        }
    }

    /** The master may compress a value by another method, which its client can choose. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE lab.packed (id int PRIMARY KEY, a text); CREATE INDEX ON lab.packed (a)",
                "CREATE TABLE lab.packed (id int, a text PRIMARY KEY)",
                "CREATE TABLE lab.packed (id int, a text, UNIQUE (a, id)) PARTITION BY LIST (id); CREATE TABLE lab.part PARTITION OF lab.packed DEFAULT",
                "CREATE TABLE lab.packed (id int PRIMARY KEY, a text, b int[]); CREATE INDEX ON lab.packed USING hash (a); CREATE INDEX ON lab.packed USING gin (b)",
            })
    void shouldDoWithoutAnIndexThatCannotContainARow(String creation) throws Exception {
        try (Connection connection = cluster.connect()) {
            Sql.run(connection, creation.split("; ", -1));
            cluster.awaitApplied();
            try (Connection satellite = cluster.direct("satellite")) {
                Sql.run(satellite, "ALTER TABLE lab.packed ALTER a SET STORAGE EXTERNAL");
                if (creation.contains("lab.part")) {
                    Sql.run(satellite, "ALTER TABLE lab.part ALTER a SET STORAGE EXTERNAL");
                }
            }
            Copies copies = Copies.of(cluster, "satellite").mark();
            Sql.run(connection, "INSERT INTO lab.packed (id, a) VALUES (1, 'short'), (2, repeat('x', 10000))");
            Sql.run(
                    connection,
                    "UPDATE lab.packed SET id = 3 WHERE id = 2",
                    "INSERT INTO lab.packed (id, a) VALUES (4, 'y')");
            copies.assertSame();
            Sql.run(connection, "DROP TABLE lab.packed");
            copies.assertSame();
        }
    }

    /** The satellite still runs the text that the function had in the meantime. */
    @ParameterizedTest
    @ValueSource(strings = {"(lab.inverse(a))", "(a) WHERE lab.inverse(a) > 0"})
    void shouldDoWithoutAnIndexWhoseFunctionFails(String index) throws Exception {
        try (Connection connection = cluster.connect()) {
            Sql.run(
                    connection,
                    "CREATE FUNCTION lab.inverse(a int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT 1 / a'",
                    "CREATE TABLE lab.computed (id int PRIMARY KEY, a int)",
                    "CREATE INDEX computed_a ON lab.computed " + index,
                    "INSERT INTO lab.computed VALUES (1, 1)");
            cluster.awaitApplied();
            assertThat(hasIndex()).isTrue();
            try (Connection satellite = cluster.direct("satellite")) {
                Sql.run(
                        satellite,
                        "CREATE OR REPLACE FUNCTION lab.inverse(a int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT a / 0'",
                        "ALTER INDEX lab.computed_a SET (fillfactor = 50)"); // sessions read the function again
            }
            Copies copies = Copies.of(cluster, "satellite").mark();
            Sql.run(
                    connection,
                    "INSERT INTO lab.computed VALUES (2, 2), (3, 3)",
                    "UPDATE lab.computed SET a = 5 WHERE id = 3");
            copies.assertSame();
            assertThat(hasIndex()).isFalse();
            Sql.run(connection, "DROP TABLE lab.computed", "DROP FUNCTION lab.inverse");
            copies.assertSame();
        }
    }

    private static boolean hasIndex() throws SQLException {
        try (Connection satellite = cluster.direct("satellite")) {
            return Sql.text(satellite, "SELECT count(*) FROM pg_indexes WHERE indexname = 'computed_a'")
                    .equals("1");
        }
    }
}
