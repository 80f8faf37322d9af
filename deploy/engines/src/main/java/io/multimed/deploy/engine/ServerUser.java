package io.multimed.deploy.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/** Who runs the engines: ourselves, or, if we are root, a user without privileges, because engines refuse to run as root. */
public final class ServerUser {
    private static final String SETPRIV = "/usr/bin/setpriv";

    private ServerUser() {}

    /** Whether privileges have to be dropped. */
    public static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** What stands before a command so that it runs as the engines' user. */
    public static List<String> prefix() {
        if (!isRoot()) {
            return List.of();
        }
        if (!Files.isExecutable(Path.of(SETPRIV))) {
            throw new EngineException(
                    "engines do not run as root, and %s is missing: install util-linux, or start Multimed as an ordinary user"
                            .formatted(SETPRIV));
        }
        return List.of(SETPRIV, "--reuid=" + name(), "--regid=" + group(), "--clear-groups", "--");
    }

    private static String name() {
        return exists("/etc/passwd", "postgres:") ? "postgres" : "nobody";
    }

    private static String group() {
        if (name().equals("postgres")) {
            return "postgres";
        }
        return exists("/etc/group", "nogroup:") ? "nogroup" : "nobody";
    }

    private static boolean exists(String file, String beginning) {
        try {
            return Files.readAllLines(Path.of(file)).stream().anyMatch(line -> line.startsWith(beginning));
        } catch (IOException e) {
            return false;
        }
    }

    /** Makes a folder the engines' user's own, for nobody else to read. */
    public static void give(Path folder) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        chown(folder);
    }

    /** Makes a file the engines' user's own. */
    public static void giveFile(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        chown(file);
    }

    private static void chown(Path path) throws IOException {
        if (isRoot()) {
            var users = path.getFileSystem().getUserPrincipalLookupService();
            Files.setOwner(path, users.lookupPrincipalByName(name()));
        }
    }

    /** Lets others pass through a folder without listing it. */
    public static void letPass(Path folder) throws IOException {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(folder);
        permissions.add(PosixFilePermission.GROUP_EXECUTE);
        permissions.add(PosixFilePermission.OTHERS_EXECUTE);
        Files.setPosixFilePermissions(folder, permissions);
    }
}
