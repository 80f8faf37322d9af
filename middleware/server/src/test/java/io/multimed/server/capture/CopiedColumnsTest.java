// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.capture;

import static io.multimed.engine.conformance.Sql.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.EngineSql.Statement;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Everything that decides how an engine reads a value belongs to the copy: satellites that received the tables by DDL,
 * and satellites that were seeded, answer as the master does; a table whose definition differs is found.
 */
@Tag("slow")
@ParameterizedClass
@EachEngine
@Tag("exhaustive")
class CopiedColumnsTest {
    private static final String SATELLITE = "satellite-1";

    private static TestCluster cluster;
    private static List<String> queries;

    private final EngineSql words;

    CopiedColumnsTest(String engine) {
        words = EngineSql.of(engine, "words");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        stop();
        cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
        EngineSql sql = EngineSql.of(engine, "columns");
        List<Statement> statements = sql.sections().stream()
                .map(sql::section)
                .filter(section -> section.notHere().isEmpty())
                .flatMap(section -> section.statements().stream())
                .toList();
        queries = statements.stream()
                .map(Statement::text)
                .filter(CopiedColumnsTest::isQuery)
                .toList();
        try (Connection client = cluster.connect()) {
            for (Statement statement : statements) {
                if (!isQuery(statement.text())) {
                    statement.run(client);
                }
            }
        }
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
            cluster = null;
        }
    }

    private static boolean isQuery(String sql) {
        return sql.startsWith("SELECT");
    }

    @Test
    void shouldReadColumnsAsTheMasterDoes() throws SQLException {
        assertSameAnswers();
        assertThat(findings()).isNotEmpty().allMatch(finding -> finding.contains("|equal|"));
    }

    @Test
    void shouldReadSeededColumnsAsTheMasterDoes() throws Exception {
        try (Connection copy = cluster.direct(SATELLITE)) {
            run(copy, words.statement("forget the copy"));
        }
        cluster.restartMiddleware();
        cluster.awaitOnline();
        assertSameAnswers();
        assertThat(findings()).isNotEmpty().allMatch(finding -> finding.contains("|equal|"));
    }

    private static void assertSameAnswers() throws SQLException {
        cluster.awaitApplied();
        SoftAssertions softly = new SoftAssertions();
        try (Connection client = cluster.connect();
                Connection master = cluster.direct("master")) {
            client.setReadOnly(true);
            for (String query : queries) {
                Sql.text(client, query);
                softly.assertThat(Sql.node(client)).as(query).isEqualTo(SATELLITE);
                softly.assertThat(answer(client, query)).as(query).isEqualTo(answer(master, query));
            }
        }
        softly.assertAll();
    }

    private static List<String> answer(Connection connection, String query) {
        try {
            return Sql.rows(connection, query);
        } catch (SQLException e) {
            return List.of(String.valueOf(e.getMessage()));
        }
    }

    @Test
    void shouldFindATableOfAnotherDefinition() throws SQLException {
        cluster.run(
                "CREATE TABLE redefined (id INT PRIMARY KEY, v VARCHAR(20))", "INSERT INTO redefined VALUES (1, 'a')");
        cluster.awaitApplied();
        for (String statement : words.statements("redefine on a satellite")) {
            try (Connection copy = cluster.direct(SATELLITE)) {
                run(copy, statement);
            }
            assertThat(findings())
                    .as(statement)
                    .anyMatch(finding -> finding.contains("redefined|other definition|"))
                    .anyMatch(finding -> finding.contains("|equal|"));
        }
        cluster.run("DROP TABLE redefined");
    }

    private static List<String> findings() throws SQLException {
        try (Connection administrator = cluster.connect()) {
            return Sql.rows(administrator, "VERIFY MULTIMED");
        }
    }
}
