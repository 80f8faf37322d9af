// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.EngineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/**
 * Checks the owners of folders. Other accounts of the machine may have created folders, or links to protected folders,
 * at the paths that Multimed uses.
 */
final class FolderOwnership {
    private static final Set<PosixFilePermission> OTHERS_WRITE =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    /** Owned by the account of this process, even if the account has no name. */
    private static final Path SELF = Path.of("/proc/self");

    private FolderOwnership() {}

    /** Returns whether the path is a folder, not a link, and only this account can write to the folder. */
    static boolean isOurs(Path folder) {
        try {
            PosixFileAttributes found =
                    Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return found.isDirectory()
                    && found.owner().equals(ourselves())
                    && found.permissions().stream().noneMatch(OTHERS_WRITE::contains);
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Refuses an existing folder that other accounts can write to.
     *
     * @param what purpose of the folder, for the message
     * @param choose the remedy, for the message
     */
    static void check(Path folder, String what, String choose) throws IOException {
        PosixFileAttributes found = Files.readAttributes(folder, PosixFileAttributes.class);
        boolean foreign = !found.owner().equals(ourselves())
                && !ServerUser.isRoot(); // root may use folders of other accounts if the operator names them
        if (foreign || found.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new EngineException("%s %s %s: %s"
                    .formatted(
                            what,
                            folder,
                            foreign ? "belongs to " + found.owner().getName() : "is writable by other accounts",
                            choose));
        }
    }

    private static UserPrincipal ourselves() throws IOException {
        return Files.getOwner(SELF);
    }
}
