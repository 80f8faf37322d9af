// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.Copies;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Satellites remain equal to the master regardless of what statements declare: reads that change data, transactions
 * whose WriteSet is erased, and SQL that uses Multimed's objects on the master. The file {@code divergence.sql} of each
 * engine contains the statements.
 */
@Tag("exhaustive")
@Timeout(300)
@ParameterizedClass
@EachEngine
class DivergenceTest {
    private static TestCluster cluster;
    private static Copies copies;

    private final String engine;
    private final EngineSql sql;

    DivergenceTest(String engine) {
        this.engine = engine;
        this.sql = EngineSql.of(engine, "divergence");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
        cluster.run(EngineSql.of(engine, "divergence").statements("setup"));
        cluster.awaitApplied();
        copies = Copies.of(cluster, "satellite-1").mark();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @Test
    void aReadThatChangesDataIsAnUpdateInAutoCommit() throws SQLException {
        try (Connection client = cluster.connect()) {
            for (String read : sql.statements("reads")) {
                long before = logged();
                Sql.rows(client, read);
                assertThat(logged()).as(read).isGreaterThan(before);
                assertSame(read);
            }
        }
    }

    @Test
    void aReadThatChangesDataIsPartOfItsTransaction() throws SQLException {
        try (Connection client = cluster.connect()) {
            client.setAutoCommit(false);
            for (String read : sql.statements("reads")) {
                long before = logged();
                Sql.rows(client, read);
                client.commit();
                assertThat(logged()).as(read).isGreaterThan(before);
                assertSame(read);
            }
        }
    }

    @Test
    void aReadOnlyTransactionChangesNothing() throws SQLException {
        try (Connection client = cluster.connect()) {
            client.setReadOnly(true);
            client.setAutoCommit(false);
            for (String read : sql.statements("reads")) {
                long before = logged();
                assertThatThrownBy(() -> Sql.rows(client, read)).as(read).isInstanceOf(SQLException.class);
                client.rollback();
                assertThat(logged()).as(read).isEqualTo(before);
            }
        }
        assertSame("read-only transactions");
    }

    /** A transaction whose WriteSet was erased, shortened or replaced commits completely or not at all. */
    @Test
    void theWriteSetOfATransactionCannotBeErased() throws SQLException {
        for (String erasing : sql.statements("erasures")) {
            try (Connection client = cluster.connect()) {
                client.setAutoCommit(false);
                Sql.run(client, "UPDATE item SET x = x + 1");
                try {
                    Sql.run(client, erasing);
                    client.commit();
                } catch (SQLException e) {
                    assertThat(e.getSQLState())
                            .as(erasing + ": " + e.getMessage())
                            .isIn("0A000", "MM003", "MM002", "XX000", "22P02");
                    client.rollback();
                }
            }
            cluster.run("UPDATE item SET x = x + 100");
            assertSame(erasing);
        }
    }

    @Test
    void resetAllIsHarmlessInATransaction() throws SQLException {
        Assumptions.assumeTrue(engine.equals("postgresql"), "RESET ALL is PostgreSQL's");
        try (Connection client = cluster.connect()) {
            client.setAutoCommit(false);
            Sql.run(client, "UPDATE item SET x = 4711", "RESET ALL", "UPDATE item SET x = x + 1");
            client.commit();
            assertThat(Sql.text(client, "SELECT x FROM item")).isEqualTo("4712");
        }
        assertSame("RESET ALL");
    }

    @Test
    void clientsCannotRunWhatBypassesTheOrderOfCommits() throws SQLException {
        EngineSql.Section own = sql.section("own");
        Assumptions.assumeTrue(own.notHere().isEmpty(), own.notHere());
        try (Connection client = cluster.connect()) {
            for (String statement : sql.statements("own")) {
                assertThatThrownBy(() -> Sql.run(client, statement))
                        .as(statement)
                        .extracting("SQLState")
                        .isEqualTo("0A000");
            }
        }
        assertSame("refused statements");
    }

    /** Uses a connection like the connections of the middleware, because the text of a client cannot do this. */
    @Test
    void theEngineRefusesACommitThatIsNotSealed() throws SQLException {
        Assumptions.assumeTrue(engine.equals("postgresql"), "this engine fires no triggers at a commit");
        Properties properties = new Properties();
        properties.setProperty("user", cluster.engine("master").user());
        properties.setProperty("password", cluster.engine("master").password());
        properties.setProperty("options", "-c multimed.writeset=");
        try (Connection master =
                DriverManager.getConnection(cluster.engine("master").jdbcUrl(), properties)) {
            master.setAutoCommit(false);
            for (String between :
                    List.of("SELECT 1", "SET CONSTRAINTS ALL IMMEDIATE", "SET multimed.witness = '(0,1)'")) {
                Sql.run(master, "UPDATE item SET x = -1", between, between);
                assertThatThrownBy(master::commit)
                        .as(between)
                        .extracting("SQLState")
                        .isEqualTo("MM003");
                master.rollback();
            }
        }
        assertSame("unsealed commits");
    }

    @Test
    void ddlCannotEvadeTheCapture() throws SQLException {
        EngineSql.Section evasions = sql.section("evasions");
        Assumptions.assumeTrue(evasions.notHere().isEmpty(), evasions.notHere());
        for (String evading : sql.statements("evasions")) {
            try {
                cluster.run(evading);
            } catch (SQLException e) {
                assertThat(e.getSQLState()).as(evading + ": " + e.getMessage()).isEqualTo("0A000");
            }
            cluster.run("UPDATE item SET x = x + 1");
            assertSame(evading);
        }
    }

    /** An account of the engine with few privileges can neither change rows without a WriteSet nor read secrets. */
    @Test
    void anAccountWithFewPrivilegesCannotBypassTheCapture() throws SQLException {
        EngineSql.Section bypasses = sql.section("bypasses");
        Assumptions.assumeTrue(bypasses.notHere().isEmpty(), bypasses.notHere());
        cluster.run("INSERT INTO clerks VALUES (1, 1)");
        for (String bypassing : sql.statements("bypasses")) {
            try (Connection clerk =
                    DriverManager.getConnection(cluster.engine("master").jdbcUrl(), "clerk", "clerk")) {
                assertThatThrownBy(() -> Sql.run(clerk, bypassing))
                        .as(bypassing)
                        .extracting("SQLState")
                        .isIn("0A000", "MM002", "MM003", "42501");
            }
            cluster.run("UPDATE clerks SET x = x + 1");
            assertSame(bypassing);
        }
    }

    /** A cast would otherwise determine the row's text, with the privileges of the owner of Multimed's schema. */
    @Test
    void aUsersCastDoesNotChangeWhatIsCaptured() throws SQLException {
        Assumptions.assumeTrue(engine.equals("postgresql"), "this engine has no user-defined casts");
        cluster.run(
                "CREATE CAST (cast_item AS text) WITH FUNCTION cast_item_text(cast_item)",
                "INSERT INTO cast_item VALUES (1, 'stored')",
                "ALTER TABLE cast_item ADD COLUMN y float DEFAULT random()",
                "DROP CAST (cast_item AS text)");
        assertSame("a cast");
        try (Connection satellite = cluster.direct("satellite-1")) {
            assertThat(Sql.text(satellite, "SELECT x FROM cast_item")).isEqualTo("stored");
        }
    }

    @Test
    void aLockThatATriggerTookEndsWithARollback() throws SQLException {
        Assumptions.assumeTrue(engine.equals("postgresql"), "this engine's limit: see the documentation");
        String usual = session();
        try (Connection client = cluster.connect()) {
            assertThatThrownBy(() -> Sql.run(client, "INSERT INTO locked_item VALUES (1, 0)"))
                    .extracting("SQLState")
                    .isEqualTo("23514");
            client.setAutoCommit(false);
            Sql.run(client, "INSERT INTO locked_item VALUES (1, 1)");
            client.rollback();
        }
        try (Connection other = cluster.connect();
                PreparedStatement insert = other.prepareStatement("INSERT INTO locked_item VALUES (?, 0)")) {
            for (int i = 0; i < 3; i++) { // from the second execution on inside a commit group
                insert.setInt(1, i);
                assertThatThrownBy(insert::executeUpdate).extracting("SQLState").isEqualTo("23514");
            }
        }
        assertThat(sessions()).containsOnly(usual);
        try (Connection client = cluster.connect()) {
            assertThat(Sql.text(client, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711"))
                    .isEqualTo("0");
        }
    }

    /** Views of functions whose answers depend on the node or the account. */
    @Test
    void aViewOfTheServerIsAnsweredByTheMaster() throws SQLException {
        Assumptions.assumeTrue(engine.equals("postgresql"), "SessionStateTest has this family's");
        try (Connection client = cluster.connect();
                Connection master = cluster.direct("master")) {
            String asked = "SELECT may_update, folder FROM node_view";
            assertThat(Sql.rows(client, asked)).isEqualTo(Sql.rows(master, asked));
            client.setReadOnly(true);
            assertThat(Sql.rows(client, asked)).isEqualTo(Sql.rows(master, asked));
        }
    }

    @Test
    void sessionStateOfAClientReachesNoOtherClient() throws SQLException {
        EngineSql.Section leaks = sql.section("leaks");
        Assumptions.assumeTrue(leaks.notHere().isEmpty(), leaks.notHere());
        String usual = session();
        for (String leaking : sql.statements("leaks")) {
            try (Connection client = cluster.connect()) {
                Sql.run(client, leaking);
                assertThat(sessions()).as(leaking).containsOnly(usual);
            }
        }
        assertSame("settings");
    }

    @Test
    void aSettingChangedByAReadReachesNoOtherClient() throws SQLException {
        EngineSql.Section reads = sql.section("setting reads");
        Assumptions.assumeTrue(reads.notHere().isEmpty(), reads.notHere());
        String asked = sql.statement("read session");
        try (Connection other = cluster.connect()) {
            String usual = Sql.rows(other, asked).toString();
            for (String read : sql.statements("setting reads")) {
                for (int i = 0; i < 10; i++) {
                    try (Connection client = cluster.connect()) {
                        client.setReadOnly(i % 2 == 0);
                        Sql.rows(client, read);
                        assertThat(Sql.rows(other, asked).toString()).as(read).isEqualTo(usual);
                    }
                }
            }
        }
    }

    private List<String> sessions() throws SQLException {
        List<Connection> clients = new ArrayList<>();
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            clients.add(cluster.connect());
        }
        for (Connection client : clients) {
            client.setAutoCommit(false);
            Sql.run(client, "UPDATE item SET x = x"); // on a connection for updates, while the other clients use theirs
            seen.add(Sql.text(client, sql.statement("session")));
            client.rollback();
        }
        for (Connection client : clients) {
            client.close();
        }
        return seen;
    }

    private String session() throws SQLException {
        return sessions().get(0);
    }

    private long logged() throws SQLException {
        try (Connection master = cluster.direct("master")) {
            return Long.parseLong(String.valueOf(Sql.text(master, "SELECT count(*) FROM log")));
        }
    }

    private static void assertSame(String after) throws SQLException {
        try {
            copies.assertSame();
        } catch (AssertionError e) {
            throw new AssertionError("after " + after, e);
        }
    }
}
