// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.EngineException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The account that runs an engine: the account of this process or, for root, an account without privileges, because
 * engines refuse to run as root.
 *
 * @param name name of the account; used by root only
 * @param group group of the account; used by root only
 */
public record ServerUser(String name, String group) {
    private static final String SETPRIV = "/usr/bin/setpriv";

    /**
     * Returns the account under which an installed engine runs, if this account and a group of the same name exist;
     * otherwise the account {@code nobody}.
     */
    public static ServerUser preferring(String account) {
        if (exists("/etc/passwd", account + ":") && exists("/etc/group", account + ":")) {
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

    /** Returns whether this process runs as root, and must drop privileges for engines. */
    public static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** Returns the prefix of a command that runs under this account. */
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

    /** Gives a folder to this user, and removes the access of all other accounts. */
    public void give(Path folder) throws IOException {
        give(folder, "rwx------");
    }

    /**
     * Checks that this user has access to a folder: a folder above may refuse it.
     *
     * @throws EngineException if the user has no access
     */
    void checkAccess(Path folder) throws IOException {
        if (!isRoot()) {
            return;
        }
        List<String> command = new ArrayList<>(prefix());
        command.addAll(List.of("test", "-x", folder.toAbsolutePath().toString()));
        try {
            if (new ProcessBuilder(command).start().waitFor() != 0) {
                throw new EngineException(
                        ("the account %s, which runs the engines, has no access to %s: let the account pass through each"
                                        + " folder above (chmod o+x), or choose another state folder")
                                .formatted(name, folder));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException("interrupted while the access to %s was checked".formatted(folder), e);
        }
    }

    /** Gives a file to this user, and removes the access of all other accounts. */
    public void giveFile(Path file) throws IOException {
        give(file, "rw-------");
    }

    /**
     * Writes a file that only this user can read, completely or not at all. The user can write to the folder of the
     * file, and could place a link there: an existing link is replaced, not followed.
     */
    public void write(Path file, String text) throws IOException {
        Path whole = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID());
        try (OutputStream out = Files.newOutputStream(
                whole, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            giveFile(whole);
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private void give(Path path, String permissions) throws IOException {
        PosixFileAttributeView view =
                Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        view.setPermissions(PosixFilePermissions.fromString(permissions));
        if (isRoot()) {
            view.setOwner(path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(name));
        }
    }

    /** Lets the engines' users pass through a folder, without listing it, if they are not the folder's owner. */
    public static void letPass(Path folder) throws IOException {
        if (!isRoot()) {
            return;
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(folder);
        permissions.add(PosixFilePermission.GROUP_EXECUTE);
        permissions.add(PosixFilePermission.OTHERS_EXECUTE);
        Files.setPosixFilePermissions(folder, permissions);
    }
}
