// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.administration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.model.listen.UsersFile;
import io.multimed.protocol.Scram;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Users are added and removed while the middleware runs. */
@Tag("slow")
@Timeout(300)
@Tag("exhaustive")
class UsersFileReloadTest {
    @TempDir
    private static Path folder;

    private static Path file;
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        file = folder.resolve("users");
        write("ann");
        cluster = TestCluster.of("""
                listen: {users-file: '%s'}
                nodes:
                - {name: master, role: master, memory: 128m}
                """.formatted(file));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** Writes a file in which each user's password is the name twice; the first user is an administrator. */
    private static void write(String... names) throws IOException {
        List<UsersFile.Entry> users = new ArrayList<>();
        for (String name : names) {
            String verifier = Scram.verifier((name + name).toCharArray()).toText();
            users.add(new UsersFile.Entry(name, verifier, users.isEmpty()));
        }
        new UsersFile(users).write(file);
    }

    private static Connection connect(String name) throws SQLException {
        return DriverManager.getConnection(cluster.url(), name, name + name);
    }

    @Test
    void addedUsersMayConnectAndRemovedOnesAreDisconnected() throws Exception {
        connect("ann").close();
        assertThatThrownBy(() -> connect("bob")).extracting("SQLState").isEqualTo("28P01");
        write("ann", "bob");
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptionsInstanceOf(SQLException.class)
                .untilAsserted(() -> connect("bob").close());
        try (Connection ann = connect("ann");
                Connection bob = connect("bob")) {
            assertThatThrownBy(() -> Sql.run(bob, "ALTER MULTIMED SATELLITE x DRAIN"))
                    .extracting("SQLState")
                    .isEqualTo("42501");
            write("ann");
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() ->
                            assertThatThrownBy(() -> Sql.text(bob, "SELECT 1")).isInstanceOf(SQLException.class));
            assertThat(Sql.text(ann, "SELECT 1")).isEqualTo("1");
        }
        assertThatThrownBy(() -> connect("bob")).extracting("SQLState").isEqualTo("28P01");
        Files.writeString(file, "wrong");
        connect("ann").close();
    }
}
