// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import io.multimed.model.value.CoreSet;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Every engine is started, found, killed, started again and ended in the same way. */
@Tag("slow")
@Timeout(600)
class LauncherTest {
    private static final Map<String, String> COMES_WITH_MULTIMED =
            Map.of("postgresql", "PostgreSQL 17.", "mariadb", "11.4.");

    private final StateFolder state = StateFolder.temporary("multimed-launcher-");

    @AfterEach
    void discard() {
        state.discard();
    }

    private RunningEngine start(String engine, Role role, Storage storage) {
        return Launchers.start(NodeSpec.embedded("n", role, engine, CoreSet.ALL, storage), "shop", state);
    }

    private static Connection connect(RunningEngine engine) throws SQLException {
        return DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
    }

    private static void execute(RunningEngine engine, String sql) throws SQLException {
        try (Connection connection = connect(engine);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int sum(RunningEngine engine) throws SQLException {
        try (Connection connection = connect(engine);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT sum(a) FROM t")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void fill(RunningEngine engine) throws SQLException {
        execute(engine, "CREATE TABLE t (a int PRIMARY KEY)");
        execute(engine, "INSERT INTO t VALUES (1), (2)");
    }

    @ParameterizedTest
    @EachEngine(byDefault = true)
    void shouldKeepAMastersDataOverADeathAndARestart(String name) throws Exception {
        try (RunningEngine engine = start(name, Role.MASTER, Storage.DISK)) {
            fill(engine);
            String url = engine.jdbcUrl();
            engine.kill();
            assertThat(engine.hasDied()).isTrue();
            assertThat(engine.revive()).isTrue();
            assertThat(sum(engine)).isEqualTo(3);
            assertThat(engine.revive()).isFalse();
            engine.restart();
            assertThat(sum(engine)).isEqualTo(3);
            assertThat(engine.jdbcUrl()).isEqualTo(url);
            long pid = engine.pid();
            engine.stop();
            assertThat(engine.hasDied()).isFalse();
            assertThat(ServerProcesses.isAlive(pid)).isFalse();
        }
    }

    @ParameterizedTest
    @EachEngine(byDefault = true)
    void shouldRecreateLostDataOfSatellitesButNotOfTheMaster(String name) throws Exception {
        try (RunningEngine satellite = start(name, Role.SATELLITE, Storage.MEMORY)) {
            fill(satellite);
            satellite.loseData();
            assertThat(satellite.revive()).isTrue();
            fill(satellite);
        }
        assertThat(state.nodesInMemory()).isEmpty();
        try (RunningEngine master = start(name, Role.MASTER, Storage.DISK)) {
            master.loseData();
            assertThatThrownBy(master::revive).hasMessageContaining("the master's data is gone");
        }
    }

    /**
     * Tests that PostgreSQL's shared memory segments, each of 1 MB, do not outlive a satellite that was killed and lost
     * its data.
     */
    @Test
    void shouldKeepSharedMemoryOfASatelliteWithItsData() throws Exception {
        try (RunningEngine satellite = start("postgresql", Role.SATELLITE, Storage.MEMORY);
                Stream<Path> segments = Files.list(state.inMemory("n").resolve("data/pg_dynshmem"))) {
            execute(satellite, "SELECT 1");
            assertThat(segments).isNotEmpty();
        }
    }

    /** All accounts may use the sockets of some engines: the folder protects them. */
    @ParameterizedTest
    @EachEngine(byDefault = true)
    @Tag("exhaustive")
    void shouldHaveASocketThatOtherAccountsCannotReach(String name) throws Exception {
        try (RunningEngine engine = start(name, Role.SATELLITE, Storage.MEMORY)) {
            Path socket = engine.socket().orElseThrow();
            assertThat(socket).exists();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket.getParent())))
                    .isEqualTo("rwx------");
            engine.restart();
            assertThat(engine.socket()).contains(socket);
            assertThat(socket).exists();
        }
    }

    @ParameterizedTest
    @EachEngine(byDefault = true)
    void shouldListenOnTcpOnlyIfThePathOfTheSocketIsTooLong(String name) throws Exception {
        StateFolder deep = StateFolder.lasting(state.path().resolve("d".repeat(100)));
        NodeSpec node = NodeSpec.embedded("n", Role.MASTER, name, CoreSet.ALL, Storage.DISK);
        try (RunningEngine engine = Launchers.start(node, "shop", deep)) {
            assertThat(engine.socket()).isEmpty();
            fill(engine);
            assertThat(sum(engine)).isEqualTo(3);
        }
    }

    @Test
    void shouldLeaveSocketsToTheSystemModelIfItDefinesThem() throws Exception {
        NodeSpec node = NodeSpec.embedded("n", Role.MASTER, "postgresql", CoreSet.ALL, Storage.DISK)
                .withSettings(Map.of("unix_socket_directories", ""));
        try (RunningEngine engine = Launchers.start(node, "shop", state)) {
            assertThat(engine.socket()).isEmpty();
            fill(engine);
        }
    }

    @ParameterizedTest
    @EachEngine(byDefault = true)
    void shouldStartASupervisedEngineAgain(String name) throws Exception {
        try (RunningEngine engine = start(name, Role.MASTER, Storage.DISK);
                EngineSupervisor supervisor = EngineSupervisor.of(engine)) {
            fill(engine);
            long before = engine.pid();
            ProcessHandle.of(before).orElseThrow().destroyForcibly();
            await("the supervisor has restarted the engine, with its data: see the log in the state folder")
                    .atMost(Duration.ofSeconds(90))
                    .ignoreExceptions()
                    .until(() -> sum(engine) == 3);
            assertThat(engine.pid()).isNotEqualTo(before);
        }
    }

    @ParameterizedTest
    @EachEngine(byDefault = true)
    void shouldShowNeitherPasswordNorServerToOthers(String name) throws Exception {
        try (RunningEngine engine = start(name, Role.MASTER, Storage.DISK)) {
            execute(engine, "SELECT 1");
            try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
                assertThat(all.flatMap(process -> process.info().commandLine().stream()))
                        .noneMatch(command -> command.contains(engine.password()));
            }
            assertThat(Files.readString(state.onDisk("n").resolve("server.log")))
                    .doesNotContain(engine.password());
            assertThat(listening(engine)).isNotEmpty().allMatch("0100007F"::equals);
            assertThatThrownBy(() -> DriverManager.getConnection(engine.jdbcUrl(), engine.user(), ""))
                    .isInstanceOf(SQLException.class);
        }
    }

    /** Checks that the second server's data is a copy of initial data, with a password of its own. */
    @ParameterizedTest
    @EachEngine(byDefault = true)
    @Tag("exhaustive")
    void shouldBeginEmptyAndWithANewPassword(String name) throws Exception {
        try (RunningEngine first = start(name, Role.MASTER, Storage.DISK)) {
            fill(first);
            NodeSpec other = NodeSpec.embedded("other", Role.MASTER, name, CoreSet.ALL, Storage.DISK);
            try (RunningEngine second = Launchers.start(other, "shop", state)) {
                fill(second);
                assertThat(sum(second)).isEqualTo(3);
                assertThatThrownBy(() -> DriverManager.getConnection(second.jdbcUrl(), second.user(), first.password()))
                        .isInstanceOf(SQLException.class);
            }
        }
    }

    /** Returns the addresses, in the kernel's notation, of the listeners on the engine's port. */
    private static List<String> listening(RunningEngine engine) throws IOException {
        String port = engine.jdbcUrl().replaceAll("^.*127\\.0\\.0\\.1:([0-9]+)/.*$", "$1");
        String end = ":%04X".formatted(Integer.parseInt(port));
        return Stream.of("tcp", "tcp6")
                .flatMap(table -> lines(Path.of("/proc/net", table)))
                .map(line -> line.strip().split(" +", -1))
                .filter(fields -> fields[3].equals("0A") && fields[1].endsWith(end))
                .map(fields -> fields[1].replace(end, ""))
                .toList();
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file).stream() : Stream.empty();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @EachEngine(byDefault = true)
    void shouldRunOnItsCoresWithoutPrivileges(String name) throws Exception {
        NodeSpec node = NodeSpec.embedded("n", Role.SATELLITE, name, CoreSet.parse("0"), Storage.MEMORY);
        try (RunningEngine engine = Launchers.start(node, "shop", state)) {
            String status = Files.readString(Path.of("/proc/%d/status".formatted(engine.pid())));
            assertThat(status).containsPattern("Cpus_allowed_list:\\s+0\n");
            assertThat(status).doesNotContainPattern("Uid:\\s+0\\s");
        }
    }

    /** Returns the folder of the embedded programs, which has the form of an installation. */
    @ParameterizedTest
    @EachEngine(byDefault = true)
    void shouldStartAnInstallation(String name) throws Exception {
        Path folder;
        try (RunningEngine engine = start(name, Role.SATELLITE, Storage.MEMORY)) {
            if (engine.node().program().installation().isEmpty()) {
                assertThat(version(engine)).startsWith(COMES_WITH_MULTIMED.get(name));
            }
            folder = engine.node().program().installation().map(Path::of).orElseGet(() -> installation(engine.pid()));
        }
        NodeSpec node = NodeSpec.embedded("n", Role.SATELLITE, name, CoreSet.ALL, Storage.MEMORY)
                .withProgram(NodeSpec.Program.installed(folder.toString()));
        try (RunningEngine engine = Launchers.start(node, "shop", state)) {
            fill(engine);
            assertThat(sum(engine)).isEqualTo(3);
        }
        NodeSpec nowhere = node.withProgram(NodeSpec.Program.installed("/nowhere"));
        assertThatThrownBy(() -> Launchers.start(nowhere, "shop", state))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("/nowhere");
    }

    private static String version(RunningEngine engine) throws SQLException {
        try (Connection connection = connect(engine);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT version()")) {
            row.next();
            return row.getString(1);
        }
    }

    /** Checks all processors, not only the one of this machine. */
    @Test
    void shouldHaveTheProgramsForEveryProcessorThatItKnows() {
        for (String processor : List.of("x86_64", "arm_64")) {
            assertThat(LauncherTest.class.getResource("/postgres-linux-" + processor + ".txz"))
                    .isNotNull();
        }
    }

    private static Path installation(long pid) {
        try {
            return Path.of("/proc/%d/exe".formatted(pid))
                    .toRealPath()
                    .getParent()
                    .getParent();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @EachEngine(byDefault = true)
    @Tag("exhaustive")
    void shouldEndTheServerWhenItsStarterIsKilled(String name) throws Exception {
        Process starter = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        EngineStarterProcess.class.getName(),
                        name,
                        state.path().toString())
                .redirectError(new File("/dev/null"))
                .start();
        long pid;
        try (BufferedReader out = starter.inputReader()) {
            pid = out.lines()
                    .filter(line -> line.startsWith("pid "))
                    .map(line -> Long.parseLong(line.substring(4)))
                    .findFirst()
                    .orElseThrow();
        } finally {
            starter.destroyForcibly().waitFor();
        }
        await("the engine ends with the process that started it: see process %d".formatted(pid))
                .atMost(Duration.ofSeconds(90))
                .until(() -> !ServerProcesses.isAlive(pid));
    }
}
