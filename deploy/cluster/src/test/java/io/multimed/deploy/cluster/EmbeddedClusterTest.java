// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.BinaryCache;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.StateLock;
import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.jdbc.MultimedDataSource;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A dispatcher within the application starts a PostgreSQL and two standbys if its model names no nodes. */
@Tag("slow")
@Timeout(120)
class EmbeddedClusterTest {
    @TempDir
    private Path folder;

    private Path engines;
    private final MultimedDataSource source = new MultimedDataSource();

    @BeforeEach
    void choose() throws Exception {
        Path model = Files.writeString(folder.resolve("a model.yaml"), "# the default nodes\n");
        source.setModel(model.toString());
        engines = BinaryCache.place("embedded/"
                + UUID.nameUUIDFromBytes(
                        model.toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8)));
    }

    @AfterEach
    void remove() throws Exception {
        if (Files.exists(engines)) {
            awaitStop();
            StateFolder.remove(engines);
        }
    }

    /** The lock is free when the engines have stopped. */
    private void awaitStop() {
        await("the engines have stopped").atMost(Duration.ofSeconds(60)).until(() -> {
            try (StateLock lock = StateLock.take(StateFolder.lasting(engines))) {
                return lock != null;
            } catch (EngineException e) {
                assertThat(e).hasMessageContaining("is in use by another multimed");
                return false;
            }
        });
    }

    @Test
    void shouldStartAMasterAndTwoStandbys() throws Exception {
        Set<String> nodes = new HashSet<>();
        try (Connection connection = source.getConnection();
                Connection other = source.getConnection();
                Statement statement = connection.createStatement();
                Statement question = other.createStatement()) {
            assertThat(connection.getCatalog()).isEqualTo("multimed");
            statement.execute("CREATE TABLE item (id int PRIMARY KEY, v int)");
            statement.execute("INSERT INTO item VALUES (1, 0)");
            for (int i = 1; i <= 300 || !nodes.containsAll(Set.of("standby-1", "standby-2")); i++) {
                statement.executeUpdate("UPDATE item SET v = v + 1 WHERE id = 1");
                assertThat(first(question, "SELECT v FROM item")).isEqualTo(Integer.toString(i));
                nodes.add(other.unwrap(MultimedConnection.class).lastNode());
            }
            assertThat(first(question, "SHOW MULTIMED STATUS")).isNotEmpty();
            statement.executeUpdate("UPDATE item SET v = -1");
        }
        try (Connection again = source.getConnection();
                Statement question = again.createStatement()) {
            assertThat(first(question, "SELECT v FROM item")).isEqualTo("-1");
        }
    }

    /** As by another process that has been given the same folder. */
    @Test
    void shouldSayWhoUsesTheData() throws Exception {
        try (StateLock lock = StateLock.take(StateFolder.lasting(engines))) {
            assertThat(lock).isNotNull();
            assertThatThrownBy(source::getConnection)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("process " + ProcessHandle.current().pid());
        }
    }

    private static String first(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }
}
