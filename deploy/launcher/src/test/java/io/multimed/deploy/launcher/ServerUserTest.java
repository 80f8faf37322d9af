// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.launcher.machine.EngineException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Engines that root starts run as another account, which must have access to their folders. */
class ServerUserTest {
    @TempDir
    private Path folder;

    @Test
    void shouldNameTheAccountAndTheFolderWithoutAccess() throws Exception {
        assumeTrue(ServerUser.isRoot(), "engines of an ordinary user run as this user");
        ServerUser user = ServerUser.preferring("nobody");
        Path state = Files.createDirectories(folder.resolve("a/b"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        user.give(state);
        assertThatThrownBy(() -> user.checkAccess(state))
                .isInstanceOf(EngineException.class)
                .hasMessageContainingAll(user.name(), state.toString(), "chmod o+x");
        ServerUser.letPass(folder);
        assertThatCode(() -> user.checkAccess(state)).doesNotThrowAnyException();
    }
}
