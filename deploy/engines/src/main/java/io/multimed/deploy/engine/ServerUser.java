package io.multimed.deploy.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/**
 * Who runs an engine: ourselves, or, if we are root, an account without privileges, because engines refuse to run as root.
 *
 * @param name of the account; used only if we are root
 */
public record ServerUser(String name, String group) {
    private static final String SETPRIV = "/usr/bin/setpriv";

    /** The account that an installed engine runs under, if there is one, with its group of the same name; otherwise nobody. */
    public static ServerUser preferring(String account) {
        if (exists("/etc/passwd", account + ":")) {
            return new ServerUser(account, account);
        }
        return new ServerUser("nobody", exists("/etc/group", "nogroup:") ? "nogroup" : "nobody");
    }

    private static boolean exists(String file, String beginning) {
        try {
            return Files.readAllLines(Path.of(file)).stream().anyMatch(line -> line.startsWith(beginning));
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether privileges have to be dropped. */
    public static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** What stands before a command so that it runs as this user. */
    public List<String> prefix() {
        if (!isRoot()) {
            return List.of();
        }
        if (!Files.isExecutable(Path.of(SETPRIV))) {
            throw new EngineException(
                    "engines do not run as root, and %s is missing: install util-linux, or start Multimed as an ordinary user"
                            .formatted(SETPRIV));
        }
        return List.of(SETPRIV, "--reuid=" + name, "--regid=" + group, "--clear-groups", "--");
    }

    /** Makes a folder this user's own, for nobody else to read. */
    public void give(Path folder) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        chown(folder);
    }

    /** Makes a file this user's own, for nobody else to read. */
    public void giveFile(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        chown(file);
    }

    private void chown(Path path) throws IOException {
        if (isRoot()) {
            var users = path.getFileSystem().getUserPrincipalLookupService();
            Files.setOwner(path, users.lookupPrincipalByName(name));
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
