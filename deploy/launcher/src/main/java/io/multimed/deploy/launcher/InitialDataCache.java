// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.deploy.launcher.machine.Commands;
import io.multimed.deploy.launcher.machine.EngineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the data of a server before its first start. Initialization takes seconds. The data of the first server is
 * therefore kept in {@link BinaryCache} and copied for all servers of the same program, role and account. A node with
 * settings in the System Model is always initialized, because the result may depend on the settings.
 */
final class InitialDataCache {
    private static final Logger LOG = LoggerFactory.getLogger(InitialDataCache.class);
    private static final String DATA = "data";

    private InitialDataCache() {}

    /** Fills {@link ServerHome#unfinished}, which exists and is empty. */
    static void make(ServerHome home, ServerProgram program) throws IOException {
        if (!home.node().settings().isEmpty() || !program.hasOwnData()) {
            program.initialise();
            return;
        }
        String name = name(home, program);
        if (!adopted(home, program, name)) {
            program.initialise();
            keep(home, name);
        }
    }

    /** Returns a name that identifies the program, the role, and the account that can read the data. */
    private static String name(ServerHome home, ServerProgram program) throws IOException {
        Path binary = program.binary().toRealPath();
        String all = String.join(
                " ",
                binary.toString(),
                Long.toString(Files.size(binary)),
                Files.getLastModifiedTime(binary).toString(),
                home.node().role().name(),
                home.user().toString(),
                System.getProperty("user.name"));
        return home.node().engine() + "-data-" + digest(all);
    }

    private static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
            return HexFormat.of().formatHex(digest, 0, 6);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime has no SHA-256", e);
        }
    }

    /**
     * Copies cached data, and turns the copy into data of this server. Removes cached data that cannot be used.
     *
     * @return false if the server must be initialized
     */
    private static boolean adopted(ServerHome home, ServerProgram program, String name) throws IOException {
        Path kept = BinaryCache.place(name).resolve(DATA);
        if (!Files.exists(kept)) {
            return false;
        }
        try {
            copy(home, kept, home.unfinished());
            program.adopt();
            return true;
        } catch (EngineException e) {
            LOG.warn(
                    "{}: the cached initial data {} cannot be used and is removed: {}",
                    home.node().name(),
                    kept,
                    e.getMessage());
            BinaryCache.remove(name);
            home.beginData();
            return false;
        }
    }

    /** Keeps a copy for other servers. A failure, for want of space or permissions, has no effect on this server. */
    private static void keep(ServerHome home, String name) {
        try {
            BinaryCache.folder(name, DATA, folder -> {
                Files.createDirectory(folder.resolve(DATA));
                copy(home, home.unfinished(), folder.resolve(DATA));
                // Without the sync, a crash of the machine could leave complete names with incomplete files.
                Commands.run(home.node().name() + ": sync", folder, List.of("sync", "-f", folder.toString()));
            });
        } catch (IOException | EngineException e) {
            LOG.info(
                    "{}: the initial data is not cached for other nodes: {}",
                    home.node().name(),
                    e.getMessage());
        }
    }

    /** Copies with owners, permissions and times, which engines check. */
    private static void copy(ServerHome home, Path from, Path to) {
        String what = "%s: copying %s".formatted(home.node().name(), from);
        Commands.run(what, home.folder(), List.of("cp", "-a", from + "/.", to.toString()));
    }
}
