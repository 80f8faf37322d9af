package io.multimed.deploy.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/** What other accounts of the machine may have put where we look: their folders, and links to folders that they may not write to themselves. */
final class Ownership {
    private static final Set<PosixFilePermission> OTHERS_WRITE =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    /** Belongs to whoever we are, also where the account has no name. */
    private static final Path SELF = Path.of("/proc/self");

    private Ownership() {}

    /** Whether it is a folder, and no link to one, that only we may write to. */
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
     * Refuses a folder, that is there, in which others may put what they like.
     *
     * @param what it is, for the message
     * @param choose what to do, for the message
     */
    static void check(Path folder, String what, String choose) throws IOException {
        PosixFileAttributes found = Files.readAttributes(folder, PosixFileAttributes.class);
        boolean foreign =
                !found.owner().equals(ourselves()) && !ServerUser.isRoot(); // what root is told to use, it uses
        if (foreign || found.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new EngineException("%s %s %s: %s"
                    .formatted(
                            what,
                            folder,
                            foreign ? "belongs to " + found.owner().getName() : "can be written to by everybody",
                            choose));
        }
    }

    private static UserPrincipal ourselves() throws IOException {
        return Files.getOwner(SELF);
    }
}
