// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.Multimed;
import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.cluster.Verification;
import io.multimed.deploy.cluster.Verification.Finding;
import io.multimed.deploy.fault.FaultsUnderLoad;
import io.multimed.deploy.fault.SatelliteComparison;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.history.HistoryChecker;
import io.multimed.deploy.history.HistoryRecorder;
import io.multimed.deploy.history.Isolation;
import io.multimed.deploy.history.Operation;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.dispatcher.administration.StatusReport.NodeStatus;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.browser.ThinkTime;
import io.multimed.tpcw.population.Loader;
import io.multimed.tpcw.run.RunOptions;
import io.multimed.tpcw.run.RunReport;
import io.multimed.tpcw.run.Target;
import io.multimed.tpcw.run.TpcwRun;
import io.multimed.tpcw.schema.Scale;
import io.multimed.tpcw.schema.Schema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Tests satellites that are added, drained, removed and repaired while clients work. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class SatelliteTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** Several in each of the buckets by which satellites and master are compared first. */
    private static final int ROWS = 10_000;

    private static final Scale SCALE = new Scale(100, 1);

    private static StateFolder state;
    private static Cluster cluster;
    private static Target target;

    @TempDir
    private Path folder;

    private final String engine;

    SatelliteTest(String engine) {
        this.engine = engine;
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        state = StateFolder.temporary("multimed-test-");
        cluster = TestModels.start(TestModels.twoSatellites(engine), state);
        target = TestModels.target(cluster);
        run("CREATE TABLE stock (id int PRIMARY KEY, n int)");
        run("INSERT INTO stock VALUES (1, 0)");
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
        state.discard();
    }

    private static int satellite(String... arguments) {
        String[] all = new String[arguments.length + 3];
        all[0] = "satellite";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        all[arguments.length + 1] = "--url";
        all[arguments.length + 2] = target.url();
        return Multimed.run(all);
    }

    private static Optional<NodeStatus> status(String node) {
        return cluster.middleware().status().nodes().stream()
                .filter(status -> status.name().equals(node))
                .findFirst();
    }

    private static String stateOf(String node) {
        return status(node).orElseThrow().state();
    }

    private static void run(String sql) throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Verification verify(boolean repair) throws SQLException {
        try (Connection connection = target.connect()) {
            return Verification.run(connection, Optional.empty(), repair);
        }
    }

    private Path modelWithThird() throws Exception {
        return Files.writeString(folder.resolve("model.yaml"), "engine: " + engine + """

                database: shop
                share-cores: true
                nodes:
                - {name: master, role: master}
                - {name: third, role: satellite, memory: 128m, pool: 8}
                """);
    }

    @Tag("exhaustive")
    @Test
    void shouldLetSatellitesComeAndGoUnderLoadWithoutAnError() throws Exception {
        try (Connection connection = target.connect()) {
            new Loader(connection, SCALE, 7, (what, fraction) -> {}).load();
        }
        AtomicBoolean changed = new AtomicBoolean();
        CompletableFuture<List<String>> errors = CompletableFuture.supplyAsync(() -> orderUntil(changed));
        HistoryRecorder recorder =
                HistoryRecorder.start(target, 8, 0.5, Isolation.REPEATABLE_READ, FaultsUnderLoad.PAUSE_MILLIS);

        assertThat(satellite("add", "--model", modelWithThird().toString(), "third"))
                .isZero();
        long before = status("third").orElseThrow().reads();
        await("the added satellite answers reads: see its state in SHOW MULTIMED STATUS")
                .atMost(PATIENCE)
                .until(() -> status("third").orElseThrow().reads() > before + 100);

        assertThat(satellite("drain", "satellite-1")).isZero();
        assertThat(stateOf("satellite-1")).isEqualTo("DRAINED");
        long drained = status("satellite-1").orElseThrow().reads();
        long committed = recorder.committed();
        await("commits continue while a satellite is drained")
                .atMost(PATIENCE)
                .until(() -> recorder.committed() > committed + 200);
        assertThat(status("satellite-1").orElseThrow().reads()).isEqualTo(drained);
        assertThat(verify(false).isGood())
                .as("a drained satellite goes on applying")
                .isTrue();
        assertThat(satellite("resume", "satellite-1")).isZero();
        await("the resumed satellite answers reads: see its state in SHOW MULTIMED STATUS")
                .atMost(PATIENCE)
                .until(() -> status("satellite-1").orElseThrow().reads() > drained + 100);

        assertThat(satellite("reseed", "satellite-2")).isZero();
        assertThat(stateOf("satellite-2")).isEqualTo("ONLINE");
        long pid = cluster.engine("third").pid();
        assertThat(satellite("remove", "third")).isZero();
        assertThat(status("third")).isEmpty();
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
        assertThat(state.nodesInMemory()).doesNotContain("third");

        changed.set(true);
        assertThat(errors.get()).isEmpty();
        List<Operation> operations = recorder.stop();
        assertThat(recorder.doubts()).isEmpty();
        try (Connection connection = target.connect()) {
            assertThat(HistoryChecker.check(operations, recorder.finalState(connection)))
                    .isEmpty();
        }
        assertThat(SatelliteComparison.of(cluster, "satellite-1", "satellite-2"))
                .isEmpty();
        try (Connection connection = target.connect()) {
            new Schema(connection).drop(); // other tests compare all tables, again and again
        }
    }

    /** Runs orders of TPC-W in rounds; returns the errors of all rounds. */
    private static List<String> orderUntil(AtomicBoolean changed) {
        List<String> errors = new ArrayList<>();
        try {
            while (!changed.get()) {
                RunReport report = TpcwRun.run(
                        target,
                        new RunOptions(Mix.ORDERING, 2, 2, 0, ThinkTime.NONE, SCALE, 7),
                        (running, round, fraction, wips, millis, failed) -> {});
                errors.addAll(report.errorTexts());
            }
            return errors;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldLetRunningTransactionsFinishBeforeASatelliteIsDrained() throws Exception {
        run("CREATE TABLE counted (a int)");
        cluster.awaitSatellites();
        try (Connection reader = DriverManager.getConnection(target.url());
                Statement statement = reader.createStatement()) {
            reader.setReadOnly(true);
            reader.setAutoCommit(false);
            String node = nodeThatReads(reader, statement);
            assertThat(satellite("drain", "--wait", "0", node)).isEqualTo(1);
            assertThat(stateOf(node)).isEqualTo("DRAINING");
            CompletableFuture<Integer> drain = CompletableFuture.supplyAsync(() -> satellite("drain", node));
            await("a second change of the satellite is refused while the first one waits")
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertRefused(
                            "ALTER MULTIMED SATELLITE \"%s\" DRAIN WAIT 0".formatted(node), "55006", "another change"));
            run("INSERT INTO counted VALUES (1)");
            try (ResultSet row = statement.executeQuery("SELECT count(*) FROM counted")) {
                row.next();
                assertThat(row.getInt(1)).as("its own snapshot").isZero();
            }
            assertThat(drain).isNotDone();
            reader.commit();
            assertThat(drain.get()).isZero();
            assertThat(stateOf(node)).isEqualTo("DRAINED");
            assertThat(satellite("resume", node)).isZero();
        }
    }

    private static String nodeThatReads(Connection reader, Statement statement) throws SQLException {
        statement.executeQuery("SELECT count(*) FROM counted").close();
        return reader.unwrap(MultimedConnection.class).lastNode();
    }

    @Test
    void shouldRefuseInvalidCommands() throws Exception {
        assertRefused("ALTER MULTIMED SATELLITE nobody DRAIN", "42704", "satellite \"nobody\" does not exist");
        assertRefused("ALTER MULTIMED SATELLITE master REMOVE", "42809", "is the master");
        assertRefused("ALTER MULTIMED SATELLITE \"satellite-1\" RESUME", "55000", "is not drained");
        assertRefused("ALTER MULTIMED SATELLITE \"satellite-1\" FLY", "42601", "DRAIN|REMOVE|RESEED");
        assertRefused("VERIFY MULTIMED SATELLITE nobody", "42704", "the satellites are: satellite-1, satellite-2");
        assertRefused("ALTER MULTIMED SATELLITE s ADD '{name: t, role: satellite}'", "22023", "not \"s\"");
        assertRefused(
                "ALTER MULTIMED SATELLITE \"satellite-1\" ADD '{name: satellite-1, role: satellite}'",
                "22023",
                "is already running");
        assertRefused("ALTER MULTIMED SATELLITE s ADD '{name: s, role: master, colour: red}'", "22023", "colour");
        for (int i = 0; i < 2; i++) {
            assertRefused(
                    "ALTER MULTIMED SATELLITE s ADD '{name: s, role: satellite, source: installed, installation: /nowhere}'",
                    "58000",
                    "/nowhere");
        }
        run("ALTER MULTIMED SATELLITE \"satellite-1\" DRAIN");
        assertRefused("ALTER MULTIMED SATELLITE \"satellite-1\" DRAIN", "55000", "is already drained");
        assertRefused("ALTER MULTIMED SATELLITE \"satellite-2\" DRAIN", "55000", "the only satellite that is ONLINE");
        run("ALTER MULTIMED SATELLITE \"satellite-2\" DRAIN FORCE");
        run("SELECT count(*) FROM stock");
        run("ALTER MULTIMED SATELLITE \"satellite-1\" RESUME");
        run("ALTER MULTIMED SATELLITE \"satellite-2\" RESUME");
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate("UPDATE stock SET n = n WHERE id = 1");
            assertThatThrownBy(() -> statement.execute("VERIFY MULTIMED"))
                    .extracting("SQLState")
                    .isEqualTo("25001");
            connection.rollback();
        }
    }

    private static void assertRefused(String sql, String sqlState, String why) {
        assertThatThrownBy(() -> run(sql))
                .as(sql)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining(why)
                .extracting("SQLState")
                .isEqualTo(sqlState);
    }

    /** Returns the schema of tables that are created without a schema. */
    private static String schema() throws SQLException {
        try (Connection connection = TestModels.direct(cluster.engine("master"))) {
            return connection.getSchema() == null ? connection.getCatalog() : connection.getSchema();
        }
    }

    private static void fillParts() throws SQLException {
        run("CREATE TABLE part (maker varchar(10), number int, näme varchar(20), PRIMARY KEY (maker, number))");
        run("CREATE TABLE note (body varchar(20))");
        run("INSERT INTO note VALUES ('same'), ('same')");
        try (Connection connection = target.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO part VALUES (?, ?, ?)")) {
            connection.setAutoCommit(false);
            for (int i = 1; i <= ROWS; i++) {
                insert.setString(1, "m" + i % 7);
                insert.setInt(2, i);
                insert.setString(3, "n" + i);
                insert.addBatch();
                if (i % 1_000 == 0) {
                    insert.executeBatch();
                }
            }
            connection.commit();
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldFindAndRepairDifferentRowsDuringUpdates() throws Exception {
        fillParts();
        String schema = schema();
        HistoryRecorder recorder =
                HistoryRecorder.start(target, 8, 0.3, Isolation.REPEATABLE_READ, FaultsUnderLoad.PAUSE_MILLIS);
        Verification sound = verify(false);
        assertThat(sound.lines()).as("before anybody meddles").allMatch(line -> line.contains("are equal"));
        assertThat(sound.findings())
                .anyMatch(finding -> finding.table().equals(schema + ".part") && finding.rows() == ROWS);
        try (Connection satellite = TestModels.direct(cluster.engine("satellite-2"));
                Statement statement = satellite.createStatement()) {
            await("row 77 is on satellite-2: see its state and its lag")
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(
                                    statement.executeUpdate("UPDATE part SET näme = 'wrong' WHERE number = 77"))
                            .isEqualTo(1));
            statement.executeUpdate("DELETE FROM part WHERE number = 78");
            statement.executeUpdate("INSERT INTO part VALUES ('nobody', 0, NULL)");
            statement.executeUpdate("DELETE FROM note");
            statement.executeUpdate("INSERT INTO note VALUES ('same')");
        }
        Verification found = verify(false);
        assertThat(found.isGood()).isFalse();
        assertThat(found.findings())
                .filteredOn(finding -> !finding.isEqual())
                .extracting(Finding::satellite, Finding::table, Finding::outcome, Finding::detail, Finding::rows)
                .containsExactlyInAnyOrder(
                        tuple("satellite-2", schema + ".part", "differs", null, 3L),
                        tuple("satellite-2", schema + ".part", "changed", "[maker, number] = (m0,77)", 1L),
                        tuple("satellite-2", schema + ".part", "missing", "[maker, number] = (m1,78)", 1L),
                        tuple("satellite-2", schema + ".part", "extra", "[maker, number] = (nobody,0)", 1L),
                        tuple("satellite-2", schema + ".note", "differs", null, 1L),
                        tuple("satellite-2", schema + ".note", "missing", "(same)", 1L));
        assertThat(Multimed.run("verify", "--url", target.url(), "--json")).isEqualTo(1);
        assertThat(Multimed.run("verify", "--url", target.url(), "--repair")).isZero();
        assertThat(Multimed.run("verify", "--url", target.url())).isZero();
        List<Operation> operations = recorder.stop();
        try (Connection connection = target.connect()) {
            assertThat(HistoryChecker.check(operations, recorder.finalState(connection)))
                    .isEmpty();
        }
        assertThat(SatelliteComparison.of(cluster, "satellite-1", "satellite-2"))
                .isEmpty();
    }
}
