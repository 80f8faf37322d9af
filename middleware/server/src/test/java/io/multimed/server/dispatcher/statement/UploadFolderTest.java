// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A middleware removes the files of a killed middleware, but not the files of a running middleware. */
class UploadFolderTest {
    @TempDir
    private Path parent;

    @Test
    void shouldRemoveUnlockedFoldersOnly() throws IOException {
        Path left = Files.createDirectory(parent.resolve("multimed-values-left"));
        Files.createFile(left.resolve("lock"));
        Files.writeString(left.resolve("value-1.tmp"), "of a killed one");
        Path unlocked = Files.createDirectory(parent.resolve("multimed-values-old"));
        Files.setLastModifiedTime(unlocked, FileTime.from(Instant.now().minusSeconds(3_600)));
        Path young = Files.createDirectory(parent.resolve("multimed-values-young"));
        Path other = Files.writeString(parent.resolve("other"), "somebody else's");
        Path planted = Files.createDirectory(parent.resolve("precious"));
        Path precious = Files.writeString(planted.resolve("file"), "not to be removed by way of a link");
        Files.setLastModifiedTime(planted, FileTime.from(Instant.now().minusSeconds(3_600)));
        Path link = Files.createSymbolicLink(parent.resolve("multimed-values-link"), planted);
        try (UploadFolder living = new UploadFolder(parent)) {
            assertThat(left).doesNotExist();
            assertThat(unlocked).doesNotExist();
            Path value = living.newFile();
            new UploadFolder(parent).close();
            assertThat(value).exists();
            assertThat(young).exists();
            assertThat(other).exists();
            assertThat(precious).exists();
            Files.delete(link);
        }
        assertThat(parent)
                .isDirectoryNotContaining(file -> file.getFileName().toString().matches("multimed-values-(?!young).*"));
    }
}
