package io.multimed.deploy.cluster;

import io.multimed.deploy.launcher.ServerUser;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where data on disk lies unless told otherwise. */
public final class DefaultStateFolder {
    private DefaultStateFolder() {}

    /** The folder that was named, or the usual one: /var/lib/multimed for root, below the home folder for others. */
    public static Path of(@Nullable Path named, String what) {
        if (named != null) {
            return named;
        }
        return ServerUser.isRoot()
                ? Path.of("/var/lib/multimed", what)
                : Path.of(System.getProperty("user.home"), ".local", "share", "multimed", what);
    }
}
