// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.yaml.snakeyaml.Yaml;

/** The audit log is complete, readable by its owner only, and reports when it cannot be written. */
@Timeout(60)
class AuditLogTest {
    @TempDir
    private Path folder;

    private static void record(Path file, String... details) throws IOException {
        try (AuditLog log = AuditLog.open(file)) {
            for (String detail : details) {
                log.client("ann", "127.0.0.1:5", "TLSv1.3").record("login", "accepted", detail);
            }
        }
    }

    @Test
    void appendsToAFileThatOnlyItsOwnerCanRead() throws Exception {
        Path file = folder.resolve("audit");
        record(file, "one");
        record(file, "two", "");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).contains("\"event\":\"login\",\"outcome\":\"accepted\",\"user\":\"ann\"");
        assertThat(lines.get(1)).endsWith("\"address\":\"127.0.0.1:5\",\"tls\":\"TLSv1.3\",\"detail\":\"two\"}");
    }

    /** A client chooses the name of its user. */
    @Test
    void writesOneLineForEachEventWhateverItContains() throws Exception {
        Path file = folder.resolve("audit");
        String nasty = "a\"b\\c\n{\"event\":\"login\"}\r\u0000\u0085\u2028\u202e\ud83d\ude00é";
        record(file, nasty, "next");
        String written = Files.readString(file);
        assertThat(written.chars().filter(c -> c == '\n' || c == '\r' || (c > 0x7f && !Character.isLetter(c))))
                .containsOnly((int) '\n')
                .hasSize(2);
        // JSON is YAML
        assertThat(new Yaml()
                        .<java.util.Map<String, Object>>load(
                                written.lines().findFirst().orElseThrow()))
                .containsEntry("detail", nasty);
    }

    @Test
    void followsTheNameOfAFileThatIsMovedAway() throws Exception {
        Path file = folder.resolve("audit");
        Path old = folder.resolve("audit.1");
        try (AuditLog log = AuditLog.open(file)) {
            log.record("users", "changed", "first");
            await().until(() -> Files.size(file) > 0);
            Files.move(file, old);
            log.record("users", "changed", "second");
            await().until(() -> Files.exists(file) && Files.size(file) > 0);
        }
        assertThat(Files.readString(old)).contains("first").doesNotContain("second");
        assertThat(Files.readString(file)).contains("second");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void refusesFilesThatOthersCanReadAndLinks() throws Exception {
        Path shared = Files.writeString(folder.resolve("shared"), "");
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> AuditLog.open(shared))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("log.audit-file")
                .hasMessageContaining("rw-r-----");
        Path target = folder.resolve("target");
        Path link = Files.createSymbolicLink(folder.resolve("link"), target);
        assertThatThrownBy(() -> AuditLog.open(link)).isInstanceOf(IOException.class);
        assertThat(target).doesNotExist();
        assertThatThrownBy(() -> AuditLog.open(folder.resolve("missing").resolve("audit")))
                .hasMessageContaining("log.audit-file");
    }

    @Test
    void countsAndReportsEventsThatItCannotWrite() throws Exception {
        ListAppender<ILoggingEvent> reports = new ListAppender<>();
        reports.start();
        Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.class);
        logger.addAppender(reports);
        Path inner = Files.createDirectory(folder.resolve("inner"));
        Path file = inner.resolve("audit");
        try (AuditLog log = AuditLog.open(file)) {
            Files.delete(file);
            Files.delete(inner);
            log.record("users", "changed", "lost");
            await().until(() -> log.lost() == 1);
            await().until(() -> !reports.list.isEmpty());
            assertThat(reports.list.get(0).getLevel()).isEqualTo(Level.ERROR);
            assertThat(reports.list.get(0).getFormattedMessage())
                    .startsWith("1 events of the audit log are lost")
                    .contains(file.toString());
            Files.createDirectory(inner);
            log.record("users", "changed", "written");
            await().until(() -> Files.exists(file) && Files.readString(file).contains("written"));
            assertThat(log.lost()).isEqualTo(1);
        } finally {
            logger.detachAppender(reports);
        }
    }

    @Test
    void isPartOfTheLogWithoutAFile() throws Exception {
        ListAppender<ILoggingEvent> events = new ListAppender<>();
        events.start();
        Logger logger = (Logger) LoggerFactory.getLogger(AuditEvent.class);
        logger.setLevel(Level.INFO);
        logger.addAppender(events);
        try {
            record(null, "here");
        } finally {
            logger.detachAppender(events);
            logger.setLevel(null);
        }
        assertThat(events.list).hasSize(1);
        assertThat(events.list.get(0).getFormattedMessage()).contains("\"detail\":\"here\"");
    }
}
