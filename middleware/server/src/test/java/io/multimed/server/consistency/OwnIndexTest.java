// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;

/** A satellite has the indexes that its definition names, whatever the master does with their tables. */
@Tag("slow")
@Timeout(120)
@ParameterizedClass
@EachEngine
class OwnIndexTest {
    private final String engine;
    private TestCluster cluster;

    OwnIndexTest(String engine) {
        this.engine = engine;
    }

    @BeforeEach
    void start() throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                optimization: C2
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m, indexes: ['sold (item, place)', 'never (id)']}
                """.formatted(engine));
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private String ownIndexes(String node) throws SQLException {
        return answer(node, "own indexes");
    }

    /** Returns the tables and columns of the satellite's own indexes. */
    private String details() throws SQLException {
        return answer("satellite", "own indexes in detail");
    }

    /** Returns numbers that an index does not keep when it is built again. */
    private String identities() throws SQLException {
        return answer("satellite", "identities of own indexes");
    }

    private String answer(String node, String question) throws SQLException {
        try (Connection connection = cluster.direct(node);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        EngineSql.of(engine, "conformance").statement(question))) {
            row.next();
            return row.getString(1);
        }
    }

    private String trouble() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SHOW MULTIMED STATUS")) {
            rows.next();
            rows.next();
            return String.valueOf(rows.getString("trouble"));
        }
    }

    private void awaitIndexes(String number) {
        await().untilAsserted(() -> assertThat(ownIndexes("satellite")).isEqualTo(number));
    }

    @Test
    void shouldHaveItsOwnIndexesThroughChangesOfTheSchema() throws Exception {
        cluster.awaitOnline();
        assertThat(trouble()).contains("sold (item, place)", "never (id)");
        cluster.run(
                "CREATE TABLE sold (id int PRIMARY KEY, item int, place int)",
                "INSERT INTO sold VALUES (1, 1, 1), (2, 1, 2)");
        awaitIndexes("1");
        await().untilAsserted(() -> assertThat(trouble()).contains("never (id)").doesNotContain("sold (item, place)"));
        assertThat(ownIndexes("master")).isEqualTo("0");

        cluster.run(
                "ALTER TABLE sold ADD COLUMN more int",
                "CREATE INDEX sold_place ON sold (place)",
                "UPDATE sold SET item = 2, more = 3 WHERE id = 1");
        cluster.awaitApplied();
        awaitIndexes("1");

        cluster.run("DROP TABLE sold", "CREATE TABLE sold (id int PRIMARY KEY, item int)");
        await().untilAsserted(() -> assertThat(trouble()).contains("sold (item, place)"));
        cluster.run("ALTER TABLE sold ADD COLUMN place int", "INSERT INTO sold VALUES (1, 2, 3)");
        awaitIndexes("1");
        cluster.awaitApplied();
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT place FROM sold WHERE item = 2")) {
            row.next();
            assertThat(row.getInt(1)).isEqualTo(3);
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldNotBuildItsOwnIndexesAgainForOneOfTheMaster() throws Exception {
        cluster.awaitOnline();
        cluster.run("CREATE TABLE sold (id int PRIMARY KEY, item int, place int)", "INSERT INTO sold VALUES (1, 1, 1)");
        awaitIndexes("1");
        cluster.awaitApplied();
        String before = identities();
        cluster.run("CREATE INDEX sold_place ON sold (place)");
        cluster.awaitApplied();
        assertThat(identities()).isNotEmpty().isEqualTo(before);
        assertThat(details()).isEqualTo("sold(item,place)");
    }

    @Tag("exhaustive")
    @Test
    void shouldReportAnIndexThatHasLostAColumn() throws Exception {
        cluster.awaitOnline();
        cluster.run("CREATE TABLE sold (id int PRIMARY KEY, item int, place int)", "INSERT INTO sold VALUES (1, 1, 1)");
        awaitIndexes("1");
        cluster.run("ALTER TABLE sold DROP COLUMN place");
        await().untilAsserted(() -> assertThat(trouble()).contains("sold (item, place)"));
        assertThat(details()).isEmpty();
        cluster.run("ALTER TABLE sold ADD COLUMN place int");
        await().untilAsserted(() -> assertThat(details()).isEqualTo("sold(item,place)"));
    }

    @Test
    @Tag("exhaustive")
    void shouldReportAnIndexWhoseColumnHasAnotherName() throws Exception {
        cluster.awaitOnline();
        cluster.run("CREATE TABLE sold (id int PRIMARY KEY, item int, place int)", "INSERT INTO sold VALUES (1, 1, 1)");
        awaitIndexes("1");
        cluster.run("ALTER TABLE sold RENAME COLUMN place TO seat");
        await().untilAsserted(() -> assertThat(trouble()).contains("sold (item, place)"));
        assertThat(details()).isEmpty();
    }

    @Tag("exhaustive")
    @Test
    void shouldHaveItsOwnIndexOnTheTableThatNowHasTheName() throws Exception {
        cluster.awaitOnline();
        cluster.run("CREATE TABLE sold (id int PRIMARY KEY, item int, place int)", "INSERT INTO sold VALUES (1, 1, 1)");
        awaitIndexes("1");
        cluster.run("ALTER TABLE sold RENAME TO bought");
        await().untilAsserted(() -> assertThat(trouble()).contains("sold (item, place)"));
        assertThat(details()).isEmpty();
        cluster.run("CREATE TABLE sold (id int PRIMARY KEY, item int, place int)");
        await().untilAsserted(() -> assertThat(details()).isEqualTo("sold(item,place)"));
    }

    /** A change of the schema does not end what an administrator has requested. */
    @Tag("exhaustive")
    @Test
    void shouldServeReadsAfterASchemaChangeWhileItWasDrained() throws Exception {
        cluster.awaitOnline();
        cluster.run(
                "ALTER MULTIMED SATELLITE satellite DRAIN FORCE",
                "CREATE TABLE sold (id int PRIMARY KEY, item int, place int)");
        awaitIndexes("1");
        cluster.run("ALTER MULTIMED SATELLITE satellite RESUME");
        cluster.awaitOnline();
    }

    @Tag("exhaustive")
    @Test
    void shouldRefuseAnIndexOfAPartitionedTable() throws Exception {
        assumeTrue(engine.equals("postgresql"));
        cluster.awaitOnline();
        cluster.run(
                "CREATE TABLE never (id int NOT NULL) PARTITION BY RANGE (id)",
                "CREATE TABLE never_more PARTITION OF never FOR VALUES FROM (0) TO (10)");
        await().untilAsserted(() -> assertThat(trouble()).contains("never (id): a partitioned table"));
        assertThat(ownIndexes("satellite")).isEqualTo("0");
    }
}
