// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.machine.Commands;
import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import io.multimed.model.value.CoreSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Standbys are made from a running master, follow it, and are made again when they have lost their data. */
@Tag("slow")
@Timeout(300)
class StandbyTest {
    private static final String ENGINE = "postgresql";

    private final StateFolder state = StateFolder.temporary("multimed-standby-");
    private RunningEngine master;

    @BeforeEach
    void start() throws SQLException {
        master = Launchers.start(
                NodeSpec.embedded("master", Role.MASTER, ENGINE, CoreSet.ALL, Storage.DISK), "shop", state);
        execute(master, "CREATE TABLE t (a int PRIMARY KEY, b text)");
        execute(master, "INSERT INTO t SELECT i, repeat('x', 100) FROM generate_series(1, 20000) i");
    }

    @AfterEach
    void stop() {
        master.close();
        state.discard();
    }

    private RunningEngine standby(Storage storage) {
        return Launchers.startStandby(
                NodeSpec.embedded("standby-1", Role.SATELLITE, ENGINE, CoreSet.ALL, storage), master, "shop", state);
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

    private static String text(RunningEngine engine, String query) throws SQLException {
        try (Connection connection = connect(engine);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    private void awaitSame(RunningEngine standby) {
        String query = "SELECT concat(count(*), ' ', sum(a), ' ', md5(string_agg(b, '' ORDER BY a))) FROM t";
        await().untilAsserted(() -> assertThat(text(standby, query)).isEqualTo(text(master, query)));
    }

    /** The master's rows and tables change while its files are copied. */
    @Test
    void shouldMakeAStandbyFromAMasterThatIsInUse() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            try (Connection connection = connect(master);
                    Statement statement = connection.createStatement()) {
                for (int i = 1; !done.get(); i++) {
                    statement.execute("UPDATE t SET b = 'at " + i + "' WHERE a % 100 = " + i % 100);
                    statement.execute("CREATE TABLE passing AS SELECT * FROM t LIMIT 500");
                    statement.execute("DROP TABLE passing");
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        try (RunningEngine standby = standby(Storage.MEMORY)) {
            done.set(true);
            writer.join();
            awaitSame(standby);
            assertThatThrownBy(() -> execute(standby, "DELETE FROM t"))
                    .extracting("SQLState")
                    .isEqualTo("25006");
            Path settings = state.inMemory("standby-1").resolve("data/multimed.conf");
            assertThat(Files.getPosixFilePermissions(settings)).hasSize(2); // contains the password
        }
        assertThat(state.nodesInMemory()).isEmpty();
    }

    @Test
    @Tag("exhaustive")
    void shouldCatchUpAfterADeathAndBeMadeAgainWithoutItsData() throws Exception {
        try (RunningEngine standby = standby(Storage.DISK)) {
            standby.kill();
            execute(master, "INSERT INTO t SELECT i, 'later' FROM generate_series(20001, 30000) i");
            execute(master, "CREATE TABLE other (a int)");
            assertThat(standby.revive()).isTrue();
            awaitSame(standby);
            assertThat(text(standby, "SELECT count(*) FROM other")).isEqualTo("0");
            standby.loseData();
            execute(master, "DELETE FROM t WHERE a > 25000");
            assertThat(standby.revive()).isTrue();
            awaitSame(standby);
            standby.restart();
            awaitSame(standby);
        }
    }

    /** A checkpoint of the master would wait for the connection of a standby that is stopped. */
    @Test
    @Tag("exhaustive")
    void shouldKillAndRestartAStandbyThatDoesNotAnswer() throws Exception {
        try (RunningEngine standby = standby(Storage.DISK);
                EngineSupervisor supervisor = EngineSupervisor.start(standby, Duration.ofMillis(200))) {
            assertThat(supervisor).isNotNull();
            awaitSame(standby);
            long pid = standby.pid();
            String processes = Stream.concat(
                            Stream.of(ProcessHandle.of(pid).orElseThrow()),
                            ProcessHandle.of(pid).orElseThrow().descendants())
                    .map(process -> Long.toString(process.pid()))
                    .collect(Collectors.joining(" "));
            Commands.run("stop the standby", Path.of("/"), List.of("sh", "-c", "kill -STOP " + processes));
            execute(master, "INSERT INTO t SELECT i, 'later' FROM generate_series(20001, 30000) i");
            await("the standby runs as another process")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> standby.pid() != pid && standby.isAlive());
            awaitSame(standby);
        }
    }

    /** Without the slot, or with an unlimited one, the master would remove the log, or keep all of it. */
    @Test
    void shouldKeepTheLogThatAStandbyLacks() throws Exception {
        try (RunningEngine standby = standby(Storage.MEMORY)) {
            awaitSame(standby);
            await().untilAsserted(() -> assertThat(
                            text(master, "SELECT concat(slot_name, ' ', active) FROM pg_replication_slots"))
                    .isEqualTo("multimed_standby_1 t"));
            standby.stop();
            assertThat(text(master, "SELECT concat(slot_name, ' ', wal_status) FROM pg_replication_slots"))
                    .isEqualTo("multimed_standby_1 reserved");
        }
        assertThat(text(master, "SELECT count(*) FROM pg_replication_slots")).isEqualTo("0");
    }

    @ParameterizedTest
    @EachEngine(value = {"mariadb", "mysql"})
    void shouldRefuseStandbysOfOtherEngines(String engine) {
        NodeSpec node = NodeSpec.embedded("other", Role.SATELLITE, engine, CoreSet.ALL, Storage.MEMORY);
        assertThatThrownBy(() -> Launchers.startStandby(node, master, "shop", state))
                .isInstanceOf(EngineException.class)
                .hasMessage("other: Multimed makes no standbys of " + engine);
    }
}
