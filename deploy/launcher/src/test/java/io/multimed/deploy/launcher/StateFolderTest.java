// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.launcher.machine.EngineException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders and links that other accounts of the machine place at Multimed's paths are not used. */
class StateFolderTest {
    @TempDir
    private Path folder;

    private StateFolder state;

    @BeforeEach
    void make() {
        state = StateFolder.lasting(folder.resolve("a/b"));
    }

    @AfterEach
    void discard() {
        state.discard();
    }

    private static void permit(Path path, String permissions) throws Exception {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    /** Engines do not run in the folder of the command. */
    @Test
    void shouldFindATemporaryFolderFromEverywhere() throws Exception {
        StateFolder temporary = StateFolder.temporary(Path.of("target"), "state-test-");
        try {
            assertThat(temporary.path()).isAbsolute().isDirectory();
        } finally {
            temporary.discard();
        }
    }

    @Test
    void shouldKeepDataInMemoryInAFolderWithAnUnpredictableName() throws Exception {
        Path node = state.inMemory("n");
        Path memory = node.getParent();
        assertThat(memory).hasParentRaw(Path.of("/dev/shm")).matches(FolderOwnership::isOurs);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(node)))
                .isEqualTo("rwx------");
        assertThat(StateFolder.lasting(state.path()).inMemory("n"))
                .as("data left by a killed process")
                .isEqualTo(node);
        assertThat(StateFolder.lasting(folder.resolve("c")).nodesInMemory()).isEmpty();
        assertThat(state.nodesInMemory()).containsExactly("n");
        state.removeMemory("n");
        assertThat(memory).doesNotExist();
        Path next = state.inMemory("n");
        assertThat(next).isNotEqualTo(node);
    }

    @Test
    void shouldNotUseFoldersThatAnotherAccountHasPlaced() throws Exception {
        Path memory = state.inMemory("n").getParent();
        permit(memory, "rwxrwxrwx");
        assertThat(state.nodesInMemory()).isEmpty();
        Path other = state.inMemory("n").getParent();
        assertThat(other).isNotEqualTo(memory);
        Path link = memory.resolveSibling(memory.getFileName() + "-link");
        Files.createSymbolicLink(link, other);
        Files.writeString(state.path().resolve("memory"), link.toString());
        assertThat(state.inMemory("n").getParent()).isNotIn(link, other);
        Files.delete(link);
        StateFolder.remove(memory);
        StateFolder.remove(other);
    }

    @Test
    void shouldRefuseAStateFolderThatOtherAccountsCanWriteTo() throws Exception {
        permit(state.path(), "rwxr-xrwx");
        assertThatThrownBy(() -> StateFolder.lasting(state.path()))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("is writable by other accounts")
                .hasMessageContaining("--state");
    }

    @Test
    void shouldRefuseTheMemoryOfAnotherAccount() throws Exception {
        assumeTrue(ServerUser.isRoot(), "only root can change the owner of a file");
        Path memory = state.inMemory("n").getParent();
        ServerUser.preferring("nobody").give(memory);
        assertThat(FolderOwnership.isOurs(memory)).isFalse();
        assertThat(state.inMemory("n").getParent()).isNotEqualTo(memory);
        StateFolder.remove(memory);
    }

    @Test
    void shouldReplaceALinkInThePlaceOfAFile() throws Exception {
        Path precious = Files.writeString(folder.resolve("precious"), "kept");
        Path file = Files.createSymbolicLink(folder.resolve("settings"), precious);
        ServerUser.preferring("nobody").write(file, "new");
        assertThat(file).hasContent("new").matches(path -> !Files.isSymbolicLink(path));
        assertThat(precious).hasContent("kept");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }
}
