// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import static io.multimed.deploy.fault.TestModels.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.cluster.Verification;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.model.SystemModel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** VERIFY MULTIMED compares standbys with their master at one position of the log. */
@Tag("slow")
@Timeout(300)
class StandbyVerificationTest {
    private static StateFolder state;
    private static Cluster cluster;

    @BeforeAll
    static void start() throws Exception {
        state = StateFolder.temporary("multimed-test-");
        cluster = Cluster.start(SystemModel.parse(TestModels.TWO_STANDBYS, "test"), state, step -> {});
        cluster.awaitSatellites();
    }

    @AfterAll
    static void stop() {
        cluster.close();
        state.discard();
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(cluster.middleware().jdbcUrl());
    }

    private static List<Verification.Finding> verify(boolean repair) throws SQLException {
        try (Connection connection = connect()) {
            return Verification.run(connection, Optional.empty(), repair).findings();
        }
    }

    /** Clients change rows meanwhile, through Multimed and on the master. */
    @Test
    void shouldFindStandbysEqualWhileRowsChange() throws Exception {
        AtomicInteger changes = new AtomicInteger();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                Clients clients = new Clients()) {
            statement.execute("CREATE TABLE moving (id int PRIMARY KEY, n int, \"A b\" text)");
            statement.execute("INSERT INTO moving SELECT i, 0, 'x' FROM generate_series(1, 2000) i");
            statement.execute("CREATE TABLE keyless (n int)");
            clients.start(goesOn -> {
                try (Connection client = connect();
                        Statement update = client.createStatement()) {
                    while (goesOn.getAsBoolean()) {
                        update.executeUpdate("UPDATE moving SET n = n + 1 WHERE id <= 10");
                        update.executeUpdate("INSERT INTO keyless VALUES (1)");
                        changes.incrementAndGet();
                    }
                }
            });
            clients.start(goesOn -> {
                try (Connection client = TestModels.direct(cluster.engine("master"));
                        Statement update = client.createStatement()) {
                    while (goesOn.getAsBoolean()) {
                        update.executeUpdate("UPDATE moving SET n = n + 1 WHERE id = 20");
                        update.execute("SELECT pg_sleep(0.02)");
                        changes.incrementAndGet();
                    }
                }
            });
            for (int i = 0; i < 5; i++) {
                clients.awaitMore(changes, 20);
                assertThat(verify(false))
                        .allSatisfy(finding ->
                                assertThat(finding.isBad()).as("%s", finding).isFalse())
                        .extracting(Verification.Finding::table)
                        .contains("public.moving", "public.keyless");
            }
            clients.stop();
        }
    }

    @Test
    void shouldFindAndRepairADamagedStandby() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE damaged (id int PRIMARY KEY, v text)");
            statement.execute("INSERT INTO damaged VALUES (1, 'needle-a'), (2, 'other')");
            assertThat(text(connection, "SELECT count(*) FROM damaged")).isEqualTo("2");
            damage("damaged", "needle-a", "needle-b", false);
            await().atMost(Duration.ofSeconds(60))
                    .until(() ->
                            cluster.missing().isEmpty() && onStandby("damaged").equals("needle-b"));
            assertThat(verify(false))
                    .filteredOn(Verification.Finding::isBad)
                    .extracting(Verification.Finding::toString)
                    .anyMatch(finding -> finding.endsWith("public.damaged changed: [id] = (1)"));
            verify(true);
            assertThat(verify(false)).noneMatch(Verification.Finding::isBad);
            assertThat(onStandby("damaged")).isEqualTo("needle-a");
        }
    }

    /**
     * As a conflict with the log does, where the standby does not delay the log for its reads. What was found before
     * is not forgotten.
     */
    @Test
    void shouldSayWhyAStandbyHasEndedTheComparison() throws Exception {
        AtomicInteger ended = new AtomicInteger();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                Clients clients = new Clients()) {
            statement.execute("CREATE TABLE earlier (id int PRIMARY KEY, v text)");
            statement.execute("INSERT INTO earlier VALUES (1, 'needle-e')");
            damage("earlier", "needle-e", "needle-f", false);
            await("the standby has started behind the damage")
                    .atMost(Duration.ofSeconds(60))
                    .until(() ->
                            cluster.missing().isEmpty() && onStandby("earlier").equals("needle-f"));
            statement.execute("CREATE TABLE long AS SELECT i AS id FROM generate_series(1, 500000) i");
            clients.start(goesOn -> {
                try (Connection standby = TestModels.direct(cluster.engine("standby-1"))) {
                    while (goesOn.getAsBoolean() && ended.get() == 0) {
                        ended.addAndGet(Integer.parseInt(text(standby, """
                                        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                                        WHERE query LIKE '%md5(%"long"%' AND state = 'active' AND pid <> pg_backend_pid()""")));
                    }
                }
            });
            assertThat(verify(false))
                    .filteredOn(Verification.Finding::isBad)
                    .extracting(Verification.Finding::toString)
                    .anyMatch(finding -> finding.contains("has ended the comparison: ")
                            && finding.contains("terminating connection"))
                    .anyMatch(finding -> finding.contains("public.earlier differs"));
            clients.stop();
            assertThat(ended).hasPositiveValue();
            statement.execute("DROP TABLE long");
            verify(true);
        }
    }

    /** Where the engine checks its pages: by default from PostgreSQL 18 on. */
    @Test
    void shouldReadFromTheMasterWhatIsDamagedOnAStandby() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE torn (id int PRIMARY KEY, v text)");
            statement.execute("INSERT INTO torn VALUES (1, 'needle-c')");
            Assumptions.assumeTrue(text(connection, "SHOW data_checksums").equals("on"));
            damage("torn", "needle-c", "needle-d", true);
            await("the standby runs, and finds the damage")
                    .atMost(Duration.ofSeconds(60))
                    .until(() ->
                            cluster.missing().isEmpty() && onStandby("torn").contains("invalid page"));
            for (int i = 0; i < 10; i++) {
                assertThat(text(connection, "SELECT v FROM torn WHERE id = 1")).isEqualTo("needle-c");
            }
            assertThat(cluster.middleware().status().nodes())
                    .anyMatch(node -> String.valueOf(node.trouble()).startsWith("the data is damaged"));
            verify(true);
            assertThat(verify(false)).noneMatch(Verification.Finding::isBad);
            assertThat(onStandby("torn")).isEqualTo("needle-c");
        }
    }

    private static String onStandby(String table) {
        try (Connection standby = TestModels.direct(cluster.engine("standby-1"))) {
            return text(standby, "SELECT v FROM %s WHERE id = 1".formatted(table));
        } catch (SQLException e) {
            return e.getMessage();
        }
    }

    /**
     * Changes a text in the file of a table on the standby, which then restarts behind the change.
     *
     * @param isNoticed whether the standby refuses to read the page, if its pages have checksums
     */
    private static void damage(String table, String text, String other, boolean isNoticed)
            throws SQLException, IOException {
        Path file;
        String position;
        try (Connection master = TestModels.direct(cluster.engine("master"));
                Statement statement = master.createStatement()) {
            statement.execute("VACUUM (FREEZE) " + table); // a later hint bit would bring the whole page into the log
            statement.execute("CHECKPOINT");
            position = text(master, "SELECT pg_current_wal_flush_lsn()");
        }
        try (Connection standby = TestModels.direct(cluster.engine("standby-1"));
                Statement statement = standby.createStatement()) {
            await("the standby has replayed the checkpoint")
                    .until(() -> text(standby, "SELECT pg_last_wal_replay_lsn() >= '%s'".formatted(position))
                            .equals("t"));
            statement.execute("CHECKPOINT");
            statement.execute("ALTER SYSTEM SET ignore_checksum_failure = " + (isNoticed ? "off" : "on"));
            file = Path.of(
                    text(standby, "SHOW data_directory"),
                    text(standby, "SELECT pg_relation_filepath('%s')".formatted(table)));
        }
        byte[] bytes = Files.readAllBytes(file);
        String content = new String(bytes, StandardCharsets.ISO_8859_1);
        assertThat(content).contains(text);
        Files.write(file, content.replace(text, other).getBytes(StandardCharsets.ISO_8859_1));
        cluster.engine("standby-1").kill();
    }
}
