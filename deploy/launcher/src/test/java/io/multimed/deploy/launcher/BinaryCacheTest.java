// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BinaryCacheTest {
    private final String name = "test-" + UUID.randomUUID();

    @AfterEach
    void remove() throws IOException {
        StateFolder.remove(BinaryCache.place(name));
    }

    private void complete(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("proof"), "complete");
    }

    @Test
    void unpacksOnce() throws IOException {
        Path folder = BinaryCache.folder(name, "proof", this::complete);
        assertThat(folder.resolve("proof")).exists();
        assertThat(BinaryCache.folder(name, "proof", own -> {
                    throw new IOException("unpacked again");
                }))
                .isEqualTo(folder);
    }

    @Test
    void usesTheFolderOfAProcessThatWasFaster() throws IOException {
        Path folder = BinaryCache.folder(name, "proof", own -> {
            complete(own);
            complete(BinaryCache.place(name));
        });
        assertThat(folder.resolve("proof")).hasContent("complete");
    }

    @Test
    void refusesAnIncompleteFolder() throws IOException {
        Files.createDirectories(BinaryCache.place(name).resolve("rest of something"));
        assertThatThrownBy(() -> BinaryCache.folder(name, "proof", this::complete))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(name);
    }

    /** A process that is killed while a folder is removed must not leave a part of the folder for other processes. */
    @Test
    void removesAFolderAsAWhole() throws Exception {
        int files = 3_000;
        Path folder = BinaryCache.folder(name, "file-0", own -> {
            for (int i = 0; i < files; i++) {
                Files.createFile(own.resolve("file-" + i));
            }
        });
        CompletableFuture<Void> removal = CompletableFuture.runAsync(() -> {
            try {
                BinaryCache.remove(name);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        while (!removal.isDone()) {
            String[] found = folder.toFile().list();
            if (Files.exists(folder)) {
                assertThat(found).hasSize(files);
            }
        }
        removal.join();
        assertThat(folder).doesNotExist();
        BinaryCache.remove(name);
    }
}
