// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.model.listen.UsersFile;
import io.multimed.protocol.Scram;
import io.multimed.server.testing.Certificates;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Logins, administrators' statements and changes of users and certificates are in the audit log. */
@Tag("slow")
@Timeout(300)
@Tag("exhaustive")
class AuditTest {
    @TempDir
    private Path folder;

    private void writeUsers(String... names) throws IOException {
        List<UsersFile.Entry> users = new ArrayList<>();
        for (String name : names) {
            String verifier = Scram.verifier((name + name).toCharArray()).toText();
            users.add(new UsersFile.Entry(name, verifier, name.equals("ann")));
        }
        new UsersFile(users).write(folder.resolve("users"));
    }

    private static Connection connect(TestCluster cluster, String user, String password) throws SQLException {
        return DriverManager.getConnection(cluster.url() + "?sslMode=require", user, password);
    }

    private void awaitLine(String... parts) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(Files.readAllLines(folder.resolve("audit")))
                        .anySatisfy(line -> assertThat(line).contains(parts)));
    }

    private static void refusesModel(Connection administrator, String quoted) {
        for (String verb : new String[] {"PLAN", "APPLY"}) {
            assertThatThrownBy(() -> Sql.run(administrator, "ALTER MULTIMED MODEL %s %s".formatted(verb, quoted)))
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void namesWhoDidWhatAndContainsNoSecret() throws Exception {
        writeUsers("ann", "bob");
        Certificates.make(folder, "server", "ip:127.0.0.1", "EC");
        Certificates.make(folder, "next", "ip:127.0.0.1", "EC");
        String model = """
                listen:
                  users-file: '%1$s/users'
                  tls: {certificate: '%1$s/server.pem', key: '%1$s/server.key'}
                log: {audit-file: '%1$s/audit'}
                nodes:
                - {name: master, role: master, memory: 128m}
                """.formatted(folder);
        TestCluster cluster = TestCluster.of(model);
        try (cluster) {
            awaitLine("\"event\":\"start\"");
            assertThatThrownBy(() -> connect(cluster, "bob", "guessed-secret")).isInstanceOf(SQLException.class);
            awaitLine(
                    "\"event\":\"login\",\"outcome\":\"refused\",\"user\":\"bob\",\"address\":\"127.0.0.1:", "TLSv1.");
            try (Connection bob = connect(cluster, "bob", "bobbob");
                    Connection ann = connect(cluster, "ann", "annann")) {
                awaitLine("\"event\":\"login\",\"outcome\":\"accepted\",\"user\":\"ann\"", "\"tls\":\"TLSv1.");
                assertThatThrownBy(() -> Sql.run(bob, "ALTER MULTIMED SATELLITE x DRAIN"))
                        .extracting("SQLState")
                        .isEqualTo("42501");
                awaitLine("\"event\":\"statement\",\"outcome\":\"refused\",\"user\":\"bob\"", "x DRAIN: 42501");
                String definition = "name: x\\nrole: satellite\\nsource: external\\npassword: yaml-secret";
                assertThatThrownBy(() -> Sql.run(ann, "ALTER MULTIMED SATELLITE x ADD '%s'".formatted(definition)))
                        .isInstanceOf(SQLException.class);
                awaitLine("\"outcome\":\"begun\",\"user\":\"ann\"", "ALTER MULTIMED SATELLITE x ADD ?");
                awaitLine("\"outcome\":\"failed\",\"user\":\"ann\"", "ALTER MULTIMED SATELLITE x ADD ?: ");
                refusesModel(ann, "'" + definition + "'");
                refusesModel(ann, '"' + definition + '"');
                refusesModel(ann, "$$" + definition + "$$");
                awaitLine("\"outcome\":\"failed\",\"user\":\"ann\"", "ALTER MULTIMED MODEL APPLY ?: 22023");
                awaitLine("\"outcome\":\"failed\",\"user\":\"ann\"", "ALTER MULTIMED MODEL APPLY ?: 42601");
                String other = "database: shop\nfreshness: {wait: 5s}\n" + model;
                Sql.rows(ann, "ALTER MULTIMED MODEL APPLY '%s'".formatted(other.replace("'", "''")));
                awaitLine("\"event\":\"model\",\"outcome\":\"done\"", "settings: freshness.wait");
                Sql.rows(ann, "VERIFY MULTIMED");
                awaitLine("\"outcome\":\"done\",\"user\":\"ann\"", "VERIFY MULTIMED");
                writeUsers("ann", "cid");
                awaitLine("\"event\":\"users\",\"outcome\":\"changed\"", "-bob; +cid");
                for (String end : new String[] {".pem", ".key"}) {
                    Files.copy(
                            folder.resolve("next" + end),
                            folder.resolve("server" + end),
                            StandardCopyOption.REPLACE_EXISTING);
                }
                awaitLine("\"event\":\"certificate\",\"outcome\":\"changed\"");
            }
        }
        awaitLine("\"event\":\"stop\",\"outcome\":\"done\"");
        assertThat(Files.readString(folder.resolve("audit")))
                .doesNotContain("secret", "bobbob", "annann", "SCRAM-SHA-256$");
    }
}
