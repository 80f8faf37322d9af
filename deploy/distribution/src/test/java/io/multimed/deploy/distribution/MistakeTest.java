// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.Multimed;
import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.MiddlewareProcess;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.model.SystemModel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the output of commands after mistakes of the user: what is wrong, where, and what to do. */
@Tag("slow")
@Timeout(300)
class MistakeTest {
    @TempDir
    private Path folder;

    private Path model(String text) throws IOException {
        return Files.writeString(folder.resolve("model.yaml"), text);
    }

    /** Runs a command and returns what it prints, after its exit code. */
    static String run(String... line) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (PrintStream both = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            System.setOut(both);
            System.setErr(both);
            int exit = Multimed.run(line);
            return exit + " " + printed.toString(StandardCharsets.UTF_8);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    private String up(String model, Path state) throws IOException {
        return run("up", "--model", model(model).toString(), "--state", state.toString());
    }

    @Test
    void shouldDistinguishAnAddressOfAnotherMachineFromAPortInUse() throws Exception {
        String model =
                "listen: {host: %s, port: %d, tls: off, users: [{name: u, password: p}]}\nnodes:\n- {name: m, role: master}\n";
        Path state = folder.resolve("state");
        assertThat(up(model.formatted("192.0.2.1", 7_411), state))
                .startsWith("1 cannot listen on 192.0.2.1:7411")
                .contains("choose an address of this machine for listen.host")
                .doesNotContain("stop the process");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(up(model.formatted("127.0.0.1", taken.getLocalPort()), state))
                    .contains("stop the process that listens there");
        }
    }

    @Test
    void shouldNameAStateFolderThatCannotBeUsed() throws Exception {
        String model = "listen: {port: 0}\nnodes:\n- {name: m, role: master}\n";
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThat(up(model, file)).startsWith("1 the state folder " + file + " cannot be used: " + file + " is not a");
        assertThat(up(model, file.resolve("below"))).contains("cannot be used: ", "(--state)");
    }

    @Test
    void shouldRefuseMoreMemoryThanTheMachineHas() throws Exception {
        assertThat(up(
                        "listen: {port: 0}\nnodes:\n- {name: m, role: master, memory: 90000g}\n",
                        folder.resolve("state")))
                .contains("m: memory is 92160000m in the System Model, but this machine has only ");
    }

    @Test
    void shouldReportWhyAnEngineEndedDuringItsStart() throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        try {
            assertThat(up(
                            "listen: {port: 0}\nnodes:\n- {name: m, role: master, memory: 64m, settings: {work_mmm: 5MB}}\n",
                            state.path()))
                    .contains("m: PostgreSQL ended during the start; last lines of the log ", "\"work_mmm\"")
                    .doesNotContain("Connection to");
        } finally {
            state.discard();
        }
    }

    @Test
    void shouldExplainAUrlThatNoDriverAccepts() throws Exception {
        assertThat(run("status", "--url", "jdbc:multimd://u:geheim@127.0.0.1/shop?password=geheim"))
                .startsWith("2 --url: no driver here accepts a URL that begins with jdbc:multimd:")
                .doesNotContain("geheim");
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread closing = new Thread(() -> acceptAndClose(silent), "closing");
            closing.start();
            String url = "jdbc:postgresql://127.0.0.1:%d/shop?sslmode=disable".formatted(silent.getLocalPort());
            assertThat(run("sql", "--url", url, "--user", "u", "SELECT 1")).contains("EOFException", "SQLState 08001");
            closing.join();
        }
    }

    private static void acceptAndClose(ServerSocket server) {
        try {
            server.accept().close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldNameTheJavaRuntimeThatIsMissingOrTooOld() throws Exception {
        Path java = Files.createDirectory(folder.resolve("java"));
        assertThat(script(java)).contains("JAVA_HOME is " + java + ", which has no bin/java");
        Path program =
                Files.writeString(Files.createDirectory(java.resolve("bin")).resolve("java"), "#!/bin/sh\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        for (String old : List.of("11.0.2", "1.8.0_402")) {
            Files.writeString(java.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"%s\"\n".formatted(old));
            assertThat(script(java))
                    .contains("requires a Java runtime, 17 or newer: ")
                    .contains("bin/java is version "
                            + old.replaceFirst("^1\\.", "").replaceFirst("\\..*", ""));
        }
    }

    /** Returns what deploy/multimed prints with this JAVA_HOME. */
    private static String script(Path java) throws Exception {
        ProcessBuilder status = new ProcessBuilder("bash", "../multimed", "--version").redirectErrorStream(true);
        status.environment().put("JAVA_HOME", java.toString());
        Process process = status.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isEqualTo(1);
        return said;
    }

    @Test
    @Tag("exhaustive")
    void shouldReportThatThereIsNoSatellite() throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        Path model = model("listen: {port: 0}\nnodes:\n- {name: m, role: master, memory: 64m}\n");
        try (MiddlewareProcess up = new MiddlewareProcess(model, state.path().resolve("up.log"), List.of())) {
            up.start();
            await("up has reported that there is no satellite: see up.log")
                    .atMost(Duration.ofMinutes(2))
                    .untilAsserted(() -> assertThat(up.printed())
                            .contains("there is no satellite: the master answers all reads")
                            .doesNotContain("all satellites are online"));
        } finally {
            state.discard();
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldStartAMasterWithMissingStandbysAndReportThatNothingWasCompared() throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        Path model = model(
                "listen: {port: 0}\nnodes:\n- {name: m, role: master, memory: 64m, settings: {synchronous_standby_names: nobody}}\n");
        try (Cluster cluster = TestModels.start(SystemModel.read(model), state)) {
            assertThat(run("verify", "--url", cluster.middleware().jdbcUrl())).startsWith("0 no table was compared");
        } finally {
            state.discard();
        }
    }
}
