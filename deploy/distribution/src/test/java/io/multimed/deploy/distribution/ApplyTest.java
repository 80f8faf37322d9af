// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.Multimed;
import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.SatelliteComparison;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import io.multimed.model.change.ModelPlan;
import io.multimed.server.dispatcher.administration.StatusReport.NodeStatus;
import io.multimed.tpcw.run.Target;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Tests changes of the System Model of a running system, also while clients read and write. */
@Tag("slow")
@Timeout(600)
class ApplyTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String MASTER = "- {name: master, role: master, memory: 128m%s}\n";

    @TempDir
    private Path folder;

    private StateFolder state;
    private Cluster cluster;

    /** What the last command has printed. */
    private String printed = "";

    @BeforeEach
    void begin() throws IOException {
        Path own = Files.createTempDirectory("multimed-test-");
        state = StateFolder.lasting(own);
        cluster = null;
    }

    @AfterEach
    void end() {
        if (cluster != null) {
            cluster.close();
        }
        state.discard();
        StateFolder.remove(state.path());
    }

    /** Returns a model; {@code more} are further lines, {@code nodes} follow the master. */
    private static String model(String engine, String more, String... nodes) {
        return "engine: " + engine + "\nlisten: {port: 0}\ndatabase: shop\nshare-cores: true\n" + more + "nodes:\n"
                + String.join("", nodes);
    }

    private static String master(String more) {
        return MASTER.formatted(more);
    }

    private static String satellite(String name, String more) {
        return "- {name: %s, role: satellite, memory: 128m%s}%n".formatted(name, more);
    }

    private void start(String model) throws Exception {
        cluster = TestModels.start(SystemModel.parse(model, "test"), state);
    }

    private Target target() {
        return TestModels.target(cluster);
    }

    /** Runs multimed apply, and returns its exit code. */
    private int apply(String model, String... options) throws IOException {
        Path file = Files.writeString(folder.resolve("model.yaml"), model);
        String[] all = Stream.concat(
                        Stream.of("apply", "--model", file.toString(), "--url", target().url()), Stream.of(options))
                .toArray(String[]::new);
        PrintStream before = System.out;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
            return Multimed.run(all);
        } finally {
            System.setOut(before);
            printed = out.toString(StandardCharsets.UTF_8);
            before.println(printed);
        }
    }

    private Optional<NodeStatus> status(String node) {
        return cluster.middleware().status().nodes().stream()
                .filter(status -> status.name().equals(node))
                .findFirst();
    }

    private NodeSpec spec(String node) {
        return cluster.middleware().model().nodes().stream()
                .filter(each -> each.name().equals(node))
                .findFirst()
                .orElseThrow();
    }

    private void run(String... statements) throws SQLException {
        try (Connection connection = target().connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Returns the cores on which the threads of a process and of its children may run. */
    private static List<String> cores(long pid) throws IOException {
        List<Long> pids = Stream.concat(
                        Stream.of(pid),
                        ProcessHandle.of(pid).stream()
                                .flatMap(ProcessHandle::descendants)
                                .map(ProcessHandle::pid))
                .toList();
        return pids.stream()
                .flatMap(each -> threads(Path.of("/proc", Long.toString(each), "task")))
                .distinct()
                .toList();
    }

    private static Stream<String> threads(Path tasks) {
        try (Stream<Path> threads = Files.list(tasks)) {
            return threads.flatMap(ApplyTest::allowed).toList().stream();
        } catch (IOException e) {
            return Stream.empty(); // the process has ended
        }
    }

    private static Stream<String> allowed(Path thread) {
        try {
            return Files.readAllLines(thread.resolve("status")).stream()
                    .filter(line -> line.startsWith("Cpus_allowed_list:"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip());
        } catch (IOException e) {
            return Stream.empty(); // the thread has ended
        }
    }

    /** The model file afterwards: a start with it gives the same state. */
    private void assertRestartGivesTheSame(String model) throws Exception {
        SystemModel before = cluster.middleware().model();
        cluster.close();
        cluster = null;
        start(model);
        assertThat(ModelPlan.of(before, cluster.middleware().model()).changes()).isEmpty();
        assertThat(state.path().resolve("satellites"))
                .satisfiesAnyOf(
                        path -> assertThat(path).doesNotExist(),
                        path -> assertThat(path).isEmptyDirectory());
    }

    @ParameterizedTest
    @EachEngine
    void shouldChangeNodesCoresAndLimitsUnderLoadWithoutAnError(String engine) throws Exception {
        start(model(engine, "", master(""), satellite("satellite-1", ""), satellite("satellite-2", "")));
        String next = model(
                engine,
                "freshness: {wait: 2s}\nqueue: {bound: 32m}\nclasses: [{name: sums, pattern: 'sum\\(', concurrency: 2}]\n",
                master(", cores: 0"),
                satellite("satellite-1", ", pool: 8, cores: 1"),
                satellite("third", ""));
        try (ClientsUnderChange clients = ClientsUnderChange.start(target(), 6)) {
            SystemModel before = cluster.middleware().model();
            assertThat(apply(next)).as("without a terminal, and without --yes").isEqualTo(1);
            assertThat(printed)
                    .contains("~ node master cores: all -> 0")
                    .contains("~ node satellite-1 pool: 16 -> 8")
                    .contains("+ node third", "- node satellite-2", "+ class sums")
                    .contains("~ model freshness.wait: 500ms -> 2s")
                    .contains("Nothing was changed.");
            assertThat(cluster.middleware().model()).isSameAs(before);

            long masterPid = cluster.engine("master").pid();
            long secondPid = cluster.engine("satellite-2").pid();
            assertThat(apply(next, "--yes")).isZero();
            clients.print(engine + ", apply");
            assertThat(status("third").orElseThrow().state()).isEqualTo("ONLINE");
            assertThat(status("satellite-2")).isEmpty();
            assertThat(ProcessHandle.of(secondPid).filter(ProcessHandle::isAlive))
                    .isEmpty();
            assertThat(status("satellite-1").orElseThrow().connections()).isEqualTo(8);
            assertThat(cluster.engine("master").pid()).as("not restarted").isEqualTo(masterPid);
            assertThat(status("master").orElseThrow().cores()).isEqualTo("0");
            assertThat(cores(masterPid)).containsExactly("0");
            assertThat(cores(cluster.engine("satellite-1").pid())).containsExactly("1");
            long reads = status("third").orElseThrow().reads();
            await("the new satellite answers reads")
                    .atMost(PATIENCE)
                    .until(() -> status("third").orElseThrow().reads() > reads + 50);
            assertThat(cores(masterPid)).as("also new connections").containsExactly("0");

            assertThat(apply(next)).as("nothing is left to change").isZero();
            assertThat(printed).contains("corresponds to");
            clients.stopAndCheck();
        }
        assertThat(SatelliteComparison.of(cluster, "satellite-1", "third")).isEmpty();
        assertRestartGivesTheSame(next);
        assertThat(cores(cluster.engine("master").pid())).containsExactly("0");
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @EachEngine
    void shouldChangeTheTablesAndTheEngineOfASatellite(String engine) throws Exception {
        String c2 = "optimization: C2\n";
        start(model(engine, c2, master(""), satellite("one", ""), satellite("two", ", tables: [kept]")));
        run("CREATE TABLE kept (a int PRIMARY KEY)", "CREATE TABLE other (a int PRIMARY KEY)");
        run("INSERT INTO kept VALUES (1)", "INSERT INTO other VALUES (2)");
        String next = model(
                engine,
                c2,
                master(""),
                "- {name: one, role: satellite, memory: 192m}\n",
                satellite("two", ", tables: [kept, other], indexes: [\"other (a)\"]"));
        long pid = cluster.engine("one").pid();
        try (ClientsUnderChange clients = ClientsUnderChange.start(target(), 4)) {
            assertThat(apply(next, "--yes")).isZero();
            clients.stopAndCheck();
        }
        assertThat(cluster.engine("one").pid()).isNotEqualTo(pid);
        assertThat(spec("two").content().tables().names()).containsExactlyInAnyOrder("kept", "other");
        try (Connection copy = TestModels.direct(cluster.engine("two"));
                Statement statement = copy.createStatement();
                ResultSet rows = statement.executeQuery("SELECT a FROM other")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getInt(1)).isEqualTo(2);
        }
        assertThat(SatelliteComparison.of(cluster, "one")).isEmpty();
        assertRestartGivesTheSame(next);
    }

    @ParameterizedTest
    @EachEngine
    @Tag("exhaustive")
    void shouldCheckFirstAndStopAtTheFirstFailure(String engine) throws Exception {
        String old = model(engine, "", master(""), satellite("one", ""), satellite("two", ""));
        start(old);
        SystemModel before = cluster.middleware().model();
        assertThat(apply("engine: " + engine + "\nnodes:\n- {name: m, colour: red}\n", "--yes"))
                .isEqualTo(2);
        String huge = "- {name: third, role: satellite, memory: 90000g}\n";
        assertThat(apply(model(engine, "freshness: {wait: 9s}\n", master(""), satellite("one", ""), huge), "--yes"))
                .as("the machine has less memory")
                .isEqualTo(1);
        assertThat(cluster.middleware().model()).isSameAs(before);

        String broken = satellite("third", ", settings: {no_such_setting: 1}");
        assertThat(apply(model(engine, "freshness: {wait: 9s}\n", master(""), satellite("one", ""), broken), "--yes"))
                .isEqualTo(1);
        assertThat(printed)
                .contains("done      settings: freshness.wait")
                .contains("failed    node third: add")
                .contains("not done  node two: remove")
                .contains("The steps that are done remain.");
        assertThat(cluster.middleware().model().reads().freshness().longestWait())
                .hasSeconds(9);
        assertThat(status("two").orElseThrow().state()).isEqualTo("ONLINE");
        assertThat(status("third")).isEmpty();

        try (Connection busy = target().connect();
                Statement statement = busy.createStatement()) {
            busy.setReadOnly(true);
            busy.setAutoCommit(false);
            statement.executeQuery("SELECT 1").close();
            String only = model(engine, "freshness: {wait: 9s}\n", master(""));
            assertThat(apply(only, "--yes", "--wait", "0"))
                    .as("a transaction runs on a satellite")
                    .isEqualTo(1);
            assertThat(printed).contains("serves again");
            statement.executeQuery("SELECT 1").close();
            busy.commit();
        }
        assertThat(apply(old, "--yes")).isZero();
        assertThat(cluster.middleware().model().nodes()).hasSize(3);
        assertThat(status("one").orElseThrow().state()).isEqualTo("ONLINE");
    }

    @ParameterizedTest
    @EachEngine("postgresql")
    @Tag("exhaustive")
    void shouldLeaveWhatNeedsARestart(String engine) throws Exception {
        start(model(engine, "", master(""), satellite("one", "")));
        String next = model(
                engine,
                "cache: {size: 1m}\nfreshness: {wait: 1s}\n",
                "- {name: master, role: master, memory: 192m}\n",
                satellite("one", ""));
        long pid = cluster.engine("master").pid();
        assertThat(apply(next, "--yes")).isZero();
        assertThat(printed)
                .contains("~ model cache.size: 0m -> 1m  [at the next start of multimed up: the cache is created")
                .contains("~ node master memory: 128m -> 192m  [at the next start of multimed up")
                .contains("2 changes take effect only then");
        assertThat(cluster.engine("master").pid()).isEqualTo(pid);
        assertThat(cluster.middleware().model().reads().cache().size().bytes()).isZero();
        assertThat(apply(next, "--yes")).as("the same two are still left").isZero();
        assertThat(printed).contains("0 to change now, 2 at the next start");
        cluster.close();
        cluster = null;
        start(next);
        assertThat(cluster.middleware().model().reads().cache().size().bytes()).isPositive();
        assertThat(apply(next)).isZero();
        assertThat(printed).contains("corresponds to");
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @EachEngine("postgresql")
    void shouldTreatSatellitesThatWereAddedAtRunTimeAsTheOthers(String engine) throws Exception {
        start(model(engine, "", master(""), satellite("one", "")));
        run("ALTER MULTIMED SATELLITE two ADD '{name: two, role: satellite, memory: 128m}'");
        run("ALTER MULTIMED SATELLITE three ADD '{name: three, role: satellite, memory: 128m}'");
        String next = model(engine, "", master(""), satellite("one", ""), satellite("two", ", pool: 4"));
        assertThat(apply(next, "--yes")).isZero();
        assertThat(printed).contains("- node three", "~ node two pool: 16 -> 4").doesNotContain("+ node");
        assertThat(status("three")).isEmpty();
        assertRestartGivesTheSame(next);
        assertThat(status("two").orElseThrow().connections()).isEqualTo(4);
    }

    @ParameterizedTest
    @EachEngine("postgresql")
    @Tag("exhaustive")
    void shouldRefuseAPlanThatIsOutdated(String engine) throws Exception {
        start(model(engine, "", master(""), satellite("one", "")));
        String wanted = model(engine, "freshness: {wait: 3s}\n", master(""), satellite("one", ""));
        assertThatThrownBy(() -> run("ALTER MULTIMED MODEL APPLY '" + wanted + "' PLAN '0123456789abcdef'"))
                .hasMessageContaining("make another plan")
                .extracting("SQLState")
                .isEqualTo("55000");
        assertThatThrownBy(() -> run("ALTER MULTIMED MODEL PLAN 'nodes: []'"))
                .extracting("SQLState")
                .isEqualTo("22023");
        assertThat(cluster.middleware().model().reads().freshness().longestWait())
                .hasMillis(500);
    }

    @ParameterizedTest
    @EachEngine("postgresql")
    @Tag("exhaustive")
    void shouldAskOnATerminal(String engine) throws Exception {
        start(model(engine, "", master("")));
        String wanted = model(engine, "freshness: {wait: 3s}\n", master(""));
        assertThat(answer("no", wanted)).isEqualTo(1);
        assertThat(cluster.middleware().model().reads().freshness().longestWait())
                .hasMillis(500);
        assertThat(answer("", wanted)).isEqualTo(1);
        assertThat(answer("yes", wanted)).isZero();
        assertThat(cluster.middleware().model().reads().freshness().longestWait())
                .hasSeconds(3);
    }

    private int answer(String text, String model) throws IOException {
        InputStream before = System.in;
        try {
            System.setProperty("multimed.input-terminal", "true");
            System.setIn(new ByteArrayInputStream((text + "\n").getBytes(StandardCharsets.US_ASCII)));
            return apply(model);
        } finally {
            System.setIn(before);
            System.clearProperty("multimed.input-terminal");
        }
    }
}
