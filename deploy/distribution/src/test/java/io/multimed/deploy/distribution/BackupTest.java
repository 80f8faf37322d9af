// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.fault.MiddlewareProcess;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.StateFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Follows the instructions for a cold backup and its restore in docs/operations.md, section 8. */
@Tag("exhaustive")
@Timeout(600)
class BackupTest {
    @ParameterizedTest
    @EachEngine
    void shouldRestoreTheMasterAndCopyItToSatellitesOnDiskAgain(String engine) throws Exception {
        StateFolder folder = StateFolder.temporary("multimed-backup-");
        Path model = Files.writeString(folder.path().resolve("model.yaml"), """
                engine: %s
                listen: {port: 0}
                database: shop
                optimization: C0
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite-1, role: satellite, memory: 128m}
                """.formatted(engine));
        Path state = folder.path().resolve("state");
        Path backup = folder.path().resolve("backup.tar.gz");
        try (MiddlewareProcess up = new MiddlewareProcess(model, folder.path().resolve("up.log"), List.of())) {
            start(up);
            sql(up, "CREATE TABLE book (id int PRIMARY KEY)");
            sql(up, "INSERT INTO book VALUES (1)");
            up.close();
            run("tar", "-czf", backup.toString(), "-C", state.toString(), "master");

            start(up);
            sql(up, "INSERT INTO book VALUES (2)");
            assertThat(sql(up, "SELECT count(*) FROM book")).contains("2");
            up.close();
            run(
                    "rm",
                    "-r",
                    state.resolve("master").toString(),
                    state.resolve("satellite-1").toString());
            run("tar", "-xzf", backup.toString(), "-C", state.toString());

            start(up);
            assertThat(sql(up, "SELECT max(id) FROM book")).contains("1").doesNotContain("2");
            sql(up, "INSERT INTO book VALUES (3)");
            assertThat(sql(up, "SELECT max(id) FROM book")).contains("3");
            assertThat(MistakeTest.run("verify", "--url", url(up))).startsWith("0 ");
        } finally {
            folder.discard();
        }
    }

    private static void start(MiddlewareProcess up) {
        up.start();
        up.awaitSatellites();
    }

    private static String url(MiddlewareProcess up) {
        Matcher ready = Pattern.compile("ready: (\\S+)").matcher(up.printed());
        assertThat(ready.find()).as(up.printed()).isTrue();
        return ready.group(1);
    }

    /** Returns what {@code multimed sql} prints. */
    private static String sql(MiddlewareProcess up, String sql) {
        String printed = MistakeTest.run("sql", "--url", url(up), sql);
        assertThat(printed).startsWith("0 ");
        return printed.substring(2);
    }

    private static void run(String... command) throws Exception {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor())
                .as(List.of(command).toString())
                .isZero();
    }
}
