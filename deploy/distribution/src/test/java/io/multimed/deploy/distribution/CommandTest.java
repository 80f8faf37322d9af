// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.multimed.deploy.Multimed;
import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.MiddlewareProcess;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.history.Isolation;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.StateLock;
import io.multimed.model.SystemModel;
import io.multimed.server.dispatcher.administration.StatusReport.NodeStatus;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Tests the commands as a user runs them. */
@Tag("slow")
@Timeout(600)
class CommandTest {
    @TempDir
    private Path folder;

    /** {@code ReadmeTest} runs the quickstart on the engine that it uses by default. */
    @Tag("exhaustive")
    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldRunTheQuickstartWithoutErrorsAndLeaveNothingBehind(String engine) throws Exception {
        StateFolder state = StateFolder.temporary("multimed-quickstart-");
        Path json = folder.resolve("figures.json");
        Path html = folder.resolve("report.html");
        try {
            int exit = Multimed.run(
                    "quickstart",
                    "--engine",
                    engine,
                    "--items",
                    "100",
                    "--ebs",
                    "1",
                    "--seconds",
                    "2",
                    "--warmup",
                    "0",
                    "--clients",
                    "10",
                    "--state",
                    state.path().toString(),
                    "--json",
                    json.toString(),
                    "--html",
                    html.toString());
            assertThat(exit).isZero();
            JsonNode figures = new ObjectMapper().readTree(json.toFile());
            assertThat(figures.get("errors").asLong()).isZero();
            assertThat(figures.get("wips").asDouble()).isPositive();
            assertThat(figures.get("ratio").get("median").asDouble()).isPositive();
            assertThat(figures.get("interactions").get("home").get("count").asLong())
                    .isPositive();
            assertThat(figures.get("targets")).hasSize(2);
            assertThat(Files.readString(html)).contains("<svg", "Best Sellers");
            assertThat(state.nodesInMemory()).isEmpty();
        } finally {
            StateFolder.remove(state.path());
        }
    }

    @ParameterizedTest
    @EachEngine
    @Tag("exhaustive")
    void shouldLoadAndRunTpcwOnAPlainEngineThatItStarts(String engine) throws Exception {
        StateFolder state = StateFolder.temporary("multimed-plain-");
        try {
            assertThat(tpcw("run", engine, state, "--seconds", "1"))
                    .as("not loaded")
                    .isEqualTo(2);
            assertThat(tpcw("load", engine, state)).isZero();
            assertThat(tpcw("load", engine, state, "--if-needed")).isZero(); // it is there for the next command
            assertThat(tpcw("run", engine, state, "--clients", "4", "--seconds", "1", "--warmup", "0"))
                    .isZero();
        } finally {
            StateFolder.remove(state.path());
        }
    }

    private static int tpcw(String command, String engine, StateFolder state, String... more) {
        String path = state.path().toString();
        List<String> line = new ArrayList<>(
                List.of("tpcw", command, "--engine", engine, "--items", "100", "--ebs", "1", "--state", path));
        line.addAll(List.of(more));
        return Multimed.run(line.toArray(new String[0]));
    }

    @Test
    void shouldDistinguishValidFromInvalidModels() throws Exception {
        Path right = Files.writeString(folder.resolve("right.yaml"), "nodes:\n- {name: m, role: master}\n");
        Path wrong = Files.writeString(folder.resolve("wrong.yaml"), "nodes:\n- {name: m, role: queen}\n");
        Path open = Files.writeString(
                folder.resolve("open.yaml"),
                "nodes:\n- {name: m, role: master, source: external, user: u, url: \"%s\"}\n"
                        .formatted("jdbc:postgresql://localhost/shop"));
        assertThat(Multimed.run("check", "--model", right.toString())).isZero();
        assertThat(Multimed.run("check", "--model", wrong.toString())).isEqualTo(2);
        assertThat(Multimed.run("check", "--model", open.toString())).isEqualTo(2);
        assertThat(Multimed.run("check", "--model", folder.resolve("none").toString()))
                .isEqualTo(2);
        assertThat(Multimed.run("bench", "commit", "--url", "")).isEqualTo(2);
        assertThat(Multimed.run("tpcw", "run", "--url", "localhost")).isEqualTo(2);
    }

    @Test
    void shouldSayWhichSatelliteHoldsWhat() throws Exception {
        String nodes = "nodes:\n- {name: m, role: master}\n";
        String part = "- {name: part, role: satellite, tables: [sales.*, author], indexes: ['author (name)']}\n";
        Path alone = Files.writeString(folder.resolve("alone.yaml"), nodes);
        assertThat(MistakeTest.run("check", "--model", alone.toString()))
                .contains("0 satellites", "warning: there is no satellite");
        Path partial = Files.writeString(
                folder.resolve("partial.yaml"), "optimization: C2\nshare-cores: true\n" + nodes + part);
        assertThat(MistakeTest.run("check", "--model", partial.toString()))
                .startsWith("0 ")
                .contains("1 master, 1 satellite\n", "part holds author, sales.*, with indexes author (name)")
                .contains("warning: no satellite holds all tables");
        Path both = Files.writeString(
                folder.resolve("both.yaml"), Files.readString(partial) + "- {name: full, role: satellite}\n");
        assertThat(MistakeTest.run("check", "--model", both.toString()))
                .contains("full holds all tables")
                .doesNotContain("warning");
    }

    @Test
    void shouldRefuseAPortInUseBeforeStartingEngines() throws Exception {
        Path state = folder.resolve("state");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path model = Files.writeString(
                    folder.resolve("model.yaml"),
                    "listen: {port: %d}\nnodes:\n- {name: master, role: master}\n".formatted(taken.getLocalPort()));
            assertThat(Multimed.run("up", "--model", model.toString(), "--state", state.toString()))
                    .isEqualTo(1);
            assertThat(state).exists();
            assertThat(state.resolve("master")).doesNotExist();
        }
    }

    @Test
    void shouldRefuseAStateFolderThatIsInUse() throws Exception {
        StateFolder state = StateFolder.lasting(folder.resolve("state"));
        Path model = Files.writeString(
                folder.resolve("model.yaml"), "listen: {port: 0}\nnodes:\n- {name: master, role: master}\n");
        try (StateLock lock = StateLock.take(state)) {
            assertThatThrownBy(() -> StateLock.take(state))
                    .hasMessageContaining("process " + ProcessHandle.current().pid());
            assertThat(Multimed.run(
                            "up",
                            "--model",
                            model.toString(),
                            "--state",
                            state.path().toString()))
                    .isEqualTo(1);
            assertThat(lock).isNotNull();
        }
        StateLock.take(state).close();
    }

    @Test
    @Tag("exhaustive")
    void shouldStartASatelliteAgainThatWasAddedAtRunTime() throws Exception {
        StateFolder temporary = StateFolder.temporary("multimed-test-");
        StateFolder state = StateFolder.lasting(temporary.path());
        SystemModel model = SystemModel.parse(
                "listen: {port: 0}\nshare-cores: true\nnodes:\n- {name: master, role: master, memory: 128m}\n", "test");
        try {
            assertThat(state.inMemory("left-by-one-that-was-killed")).exists();
            try (Cluster cluster = TestModels.start(model, state)) {
                assertThat(state.nodesInMemory()).isEmpty();
                Path more = Files.writeString(
                        folder.resolve("more.yaml"),
                        "nodes:\n- {name: master, role: master, cores: 0}\n- {name: third, role: satellite, memory: 128m, cores: 1}\n");
                String url = cluster.middleware().jdbcUrl();
                assertThat(Multimed.run("satellite", "add", "--url", url, "--model", more.toString(), "third"))
                        .isZero();
                assertThat(state.nodesInMemory()).containsExactly("third");
            }
            assertThat(state.nodesInMemory()).as("after the stop").isEmpty();
            Path remembered = state.path().resolve("satellites/third.yaml");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(remembered)))
                    .isEqualTo("rw-------");
            try (Cluster cluster = TestModels.start(model, state)) {
                assertThat(cluster.middleware().status().nodes())
                        .extracting(NodeStatus::name)
                        .containsExactly("master", "third");
                String url = cluster.middleware().jdbcUrl();
                assertThat(Multimed.run("satellite", "remove", "--url", url, "--force", "third"))
                        .isZero();
                assertThat(remembered).doesNotExist();
                assertThat(state.nodesInMemory()).isEmpty();
            }
        } finally {
            temporary.discard();
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldNameASatelliteThatIsNotOnlineAndStillEndOnASignal() throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        Path model = Files.writeString(
                state.path().resolve("model.yaml"), """
                listen: {port: 0}
                database: shop
                nodes:
                - {name: master, role: master, cores: 0, memory: 128m}
                - {name: absent, role: satellite, cores: 1, source: external, url: "%s", user: u, password: p}
                """.formatted("jdbc:postgresql://127.0.0.1:1/shop"));
        try (MiddlewareProcess up = new MiddlewareProcess(model, state.path().resolve("up.log"), List.of())) {
            up.start();
            await("up has reported that the satellite absent is OFFLINE: see up.log")
                    .atMost(Duration.ofSeconds(90))
                    .untilAsserted(
                            () -> assertThat(up.printed()).contains("absent is OFFLINE: Connection to 127.0.0.1"));
            ProcessHandle process = ProcessHandle.of(up.pid()).orElseThrow();
            process.destroy();
            assertThat(process.onExit()).succeedsWithin(Duration.ofMinutes(1));
            assertThat(up.printed()).contains("stopping");
        } finally {
            state.discard();
        }
    }

    /**
     * The output must show progress if it is not a terminal, as in a pipeline, where a long silence looks like a hang.
     */
    @Test
    @Tag("exhaustive")
    void shouldPrintTheProgressOfTheFirstBuildWithoutATerminal() throws Exception {
        Path home = Files.createDirectories(folder.resolve("home/deploy"));
        Path script = Files.copy(Path.of("../multimed"), home.resolve("multimed"));
        Path maven =
                Files.writeString(Files.createDirectory(folder.resolve("bin")).resolve("mvn"), """
                #!/bin/sh
                echo '[INFO] Building Multimed: one 1.0 [1/2]'
                sleep 3
                echo '[INFO] Building Multimed: two 1.0 [2/2]'
                sleep 2
                echo '[ERROR] no room'
                exit 1
                """);
        Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwx------"));
        ProcessBuilder building = new ProcessBuilder("bash", script.toString(), "status").redirectErrorStream(true);
        building.environment().put("JAVA_HOME", System.getProperty("java.home"));
        building.environment().merge("PATH", maven.getParent().toString(), (path, bin) -> bin + ":" + path);
        Process process = building.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(said)
                .containsSubsequence(
                        "takes some minutes", "one 1.0 [1/2]", "two 1.0 [2/2]", "The build failed", "no room");
    }

    @ParameterizedTest
    @EachEngine
    @Tag("exhaustive")
    void shouldNameTheTablesThatNoSatelliteHolds(String engine) throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        SystemModel model = SystemModel.parse("""
                engine: %s
                listen: {port: 0}
                database: shop
                optimization: C2
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: part, role: satellite, memory: 128m, tables: [order_*]}
                """.formatted(engine), "test");
        try (Cluster cluster = TestModels.start(model, state)) {
            String url = cluster.middleware().jdbcUrl();
            try (Connection client = DriverManager.getConnection(url, "tester", "");
                    Statement statement = client.createStatement()) {
                statement.execute("CREATE TABLE order_line (a int PRIMARY KEY)");
                assertThat(MistakeTest.run("status", "--url", url)).doesNotContain("no satellite holds");
                for (int i = 10; i < 21; i++) {
                    statement.execute("CREATE TABLE other_%d (a int PRIMARY KEY)".formatted(i));
                }
            }
            assertThat(MistakeTest.run("status", "--url", url))
                    .contains("no satellite holds 11 of 12 tables", "other_10, ", "other_19, and 1 more")
                    .doesNotContain("other_20");
            assertThat(MistakeTest.run("status", "--url", url, "--tables"))
                    .contains("order_line")
                    .contains("other_20");
        } finally {
            state.discard();
        }
    }

    @ParameterizedTest
    @EachEngine
    void shouldSpeakToARunningMiddleware(String engine) throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        Path json = folder.resolve("bench.json");
        try (Cluster cluster = TestModels.start(TestModels.twoSatellites(engine), state)) {
            String url = cluster.middleware().jdbcUrl();
            assertThat(Multimed.run("sql", "--url", url, "CREATE TABLE t (a int PRIMARY KEY)"))
                    .isZero();
            assertThat(Multimed.run("sql", "--url", url, "--read-only", "SELECT * FROM t"))
                    .isZero();
            assertThat(Multimed.run("sql", "--url", url, "SELECT * FROM nowhere"))
                    .isEqualTo(1);
            assertThat(Multimed.run("status", "--url", url, "--json")).isZero();
            assertThat(MistakeTest.run("status", "--url", url))
                    .contains("satellite-2")
                    .containsPattern("reads: [\\d.]+ % on satellites, 0.0 % from the cache, [\\d.]+ % on the master")
                    .doesNotContain("null", "no satellite holds", "cannot be determined");
            assertThat(MistakeTest.run("status", "--url", url, "--tables")).contains("satellite-1, satellite-2");
            assertThat(MistakeTest.run("status", "--url", url, "--tables", "--json"))
                    .contains("\"satellites\" : \"satellite-1, satellite-2\"");
            assertThat(Multimed.run(
                            "bench",
                            "commit",
                            "--url",
                            url,
                            "--clients",
                            "4",
                            "--seconds",
                            "1",
                            "--warmup",
                            "0",
                            "--rounds",
                            "1",
                            "--rows",
                            "100",
                            "--json",
                            json.toString()))
                    .isZero();
            assertThat(new ObjectMapper()
                            .readTree(json.toFile())
                            .get("targets")
                            .get(0)
                            .get("rate")
                            .asDouble())
                    .isPositive();
            Path history = folder.resolve("history");
            assertThat(Multimed.run(
                            "history",
                            "--url",
                            url,
                            "--seconds",
                            "1",
                            "--clients",
                            "4",
                            "--out",
                            history.toString(),
                            "--isolation",
                            Isolation.REPEATABLE_READ.toString()))
                    .isZero();
            assertThat(Multimed.run("history", "--check", history.toString())).isZero();
        } finally {
            state.discard();
        }
    }
}
