// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import io.multimed.model.value.CoreSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;

/**
 * Folder of a server: data, log, and the password of the only user, which is kept even if the data is lost.
 *
 * @param folder owned by the account that runs the engine
 * @param temporary the folder for temporary files of statements, on disk: the files of one statement must not take the
 *     memory of the data of all satellites. Emptied at each start of the server
 */
public record ServerHome(NodeSpec node, Path folder, Path temporary, ServerUser user) {
    // Space that an empty database of each engine needs.
    private static final long MIN_SPACE_MB = 200;
    // Longest path of a socket in bytes that all supported systems permit.
    private static final int MAX_SOCKET_LENGTH = 103;
    private static final String TEMPORARY = "tmp";

    /**
     * Returns the folder that the System Model assigns to a node.
     *
     * @throws EngineException if the file system has too little space
     */
    static ServerHome of(NodeSpec node, StateFolder state, ServerUser user) {
        Path folder = place(node, state);
        boolean inMemory = node.data().storage() == Storage.MEMORY;
        Path temporary = (inMemory ? state.onDisk(node.name()) : folder).resolve(TEMPORARY);
        ServerHome home = new ServerHome(node, folder, temporary, user);
        home.checkSpace();
        return home;
    }

    /**
     * Returns the folder of a node: in main memory, the folder that the model names, or a folder in the state folder.
     */
    private static Path place(NodeSpec node, StateFolder state) {
        if (node.data().storage() == Storage.MEMORY) {
            return state.inMemory(node.name());
        }
        return node.data().folder().map(Path::of).map(Path::toAbsolutePath).orElseGet(() -> state.onDisk(node.name()));
    }

    /** Checks the nearest existing folder, because the node's own folder may not exist yet. */
    private void checkSpace() {
        Path there = folder;
        while (!Files.exists(there)) {
            there = Objects.requireNonNull(there.getParent()); // the root folder exists
        }
        long megabytes = there.toFile().getUsableSpace() >> 20;
        if (megabytes < MIN_SPACE_MB) {
            throw new EngineException("%s: %s has only %d MB free%s"
                    .formatted(
                            node.name(),
                            there,
                            megabytes,
                            node.data().storage() == Storage.MEMORY
                                    ? "; enlarge the file system, or keep satellites on disk (optimization: C0)"
                                    : ""));
        }
    }

    /** Returns the same folder of a server on other cores. */
    ServerHome on(CoreSet cores) {
        return new ServerHome(node.withCores(cores), folder, temporary, user);
    }

    public Path data() {
        return folder.resolve("data");
    }

    /**
     * Returns the folder in which data is initialized. The folder is renamed to {@link #data} when the data is
     * complete.
     */
    public Path unfinished() {
        return folder.resolve("data.unfinished");
    }

    /**
     * Returns the path of a Unix-domain socket of the server; empty if the path is too long for the system, or if the
     * System Model defines the server's sockets itself.
     *
     * @param name file name of the socket
     * @param setting name of the server's setting for sockets
     */
    public Optional<Path> socket(String name, String setting) {
        Path socket = socketFolder().resolve(name);
        boolean fits = socket.toString().getBytes(StandardCharsets.UTF_8).length <= MAX_SOCKET_LENGTH;
        return fits && !node.settings().containsKey(setting) ? Optional.of(socket) : Optional.empty();
    }

    /** Creates the folder of the sockets. Its permissions protect the sockets, which all accounts may use otherwise. */
    public void makeSocketFolder() throws IOException {
        Files.createDirectories(socketFolder());
        user.give(socketFolder());
    }

    /** Creates the folder for temporary files, or empties the folder, which a killed server may have left full. */
    public void makeTemporaryFolder() throws IOException {
        StateFolder.remove(temporary);
        Path above = Objects.requireNonNull(temporary.getParent());
        if (!Files.exists(above)) {
            Files.createDirectories(above);
            user.give(above);
        }
        Files.createDirectory(temporary);
        user.give(temporary);
    }

    /** Removes the folder for temporary files, and the folder above if nothing else is there. */
    void removeTemporaryFolder() {
        StateFolder.remove(temporary);
        try {
            Files.deleteIfExists(Objects.requireNonNull(temporary.getParent()));
        } catch (IOException e) {
            return; // other files of the node are there
        }
    }

    private Path socketFolder() {
        return folder.resolve("socket");
    }

    public Path passwordFile() {
        return folder.resolve("password");
    }

    Path log() {
        return folder.resolve(ServerWatchdog.LOG_FILE);
    }

    Path pidFile() {
        return folder.resolve(ServerWatchdog.PID_FILE);
    }

    /** Returns the password of the server's only user. */
    public String password() {
        try {
            return Files.readString(passwordFile()).strip();
        } catch (IOException e) {
            throw new EngineException(
                    "%s: the file %s is missing; remove %s to start with an empty database"
                            .formatted(node.name(), passwordFile(), folder),
                    e);
        }
    }

    /**
     * Initializes the data directory if necessary; repeats an initialization that a crash interrupted.
     *
     * @throws EngineException if a master's data is missing: a new initialization would silently lose all data
     */
    void prepare(ServerProgram program) throws IOException {
        checkEngine();
        if (Files.isSymbolicLink(log())) {
            Files.delete(log()); // A link in its place would redirect the output of the server to another file.
        }
        if (Files.exists(data())) {
            user.checkAccess(data());
            return;
        }
        if (node.role() == Role.MASTER && Files.exists(passwordFile()) && !Files.exists(unfinished())) {
            throw new EngineException(
                    "%s: the master's data is gone from %s; restore the data, or remove %s to start with an empty database"
                            .formatted(node.name(), data(), folder));
        }
        beginData();
        letPass();
        user.give(folder);
        user.checkAccess(folder);
        user.write(engineFile(), node.engine());
        if (!Files.exists(passwordFile())) {
            user.write(passwordFile(), newPassword());
        }
        InitialDataCache.make(this, program);
        Files.move(unfinished(), data(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Creates an empty folder for new data; removes an incomplete one. */
    void beginData() throws IOException {
        StateFolder.remove(unfinished());
        Files.createDirectories(unfinished());
        user.give(unfinished());
    }

    private Path engineFile() {
        return folder.resolve("engine");
    }

    /** Refuses data of another engine, before a server of the wrong engine could damage the data. */
    private void checkEngine() throws IOException {
        if (!Files.exists(engineFile())) {
            return;
        }
        String engine = Files.readString(engineFile()).strip();
        if (!engine.equals(node.engine())) {
            throw new EngineException("%s: the folder %s holds data of %s, not of %s; choose another folder"
                    .formatted(node.name(), folder, engine, node.engine()));
        }
    }

    /**
     * Lets the engine's account pass through the folders of Multimed above this folder; other folders are not changed.
     */
    private void letPass() throws IOException {
        for (Path above = folder.getParent(); above != null && isOurs(above); above = above.getParent()) {
            ServerUser.letPass(above);
        }
    }

    private static boolean isOurs(Path folder) {
        return folder.getFileName() != null && folder.getFileName().toString().startsWith("multimed");
    }

    /** Returns 128 random bits in hexadecimal notation, which no engine and no URL has to escape. */
    private static String newPassword() {
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }
}
