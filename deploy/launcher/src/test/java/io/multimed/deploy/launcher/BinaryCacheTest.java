// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
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
}
