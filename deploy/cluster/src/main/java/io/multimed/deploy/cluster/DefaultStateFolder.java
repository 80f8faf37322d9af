// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.cluster;

import io.multimed.deploy.launcher.ServerUser;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Determines the state folder of a command. */
public final class DefaultStateFolder {
    private DefaultStateFolder() {}

    /**
     * Returns the folder that the user named or, without one, the default: below /var/lib/multimed for root, below the
     * home folder for other accounts.
     *
     * @param what last part of the default path
     */
    public static Path of(@Nullable Path named, String what) {
        if (named != null) {
            return named;
        }
        return ServerUser.isRoot()
                ? Path.of("/var/lib/multimed", what)
                : Path.of(System.getProperty("user.home"), ".local", "share", "multimed", what);
    }
}
