package io.multimed.deploy.engine.postgresql;

import io.multimed.deploy.engine.Commands;
import io.multimed.deploy.engine.EngineException;
import io.multimed.deploy.engine.EngineLauncher;
import io.multimed.deploy.engine.RunningEngine;
import io.multimed.deploy.engine.ServerUser;
import io.multimed.deploy.engine.StateFolder;
import io.multimed.model.Node;
import io.multimed.model.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/** Prepares a PostgreSQL server's data folder and starts it. */
public final class PostgresLauncher implements EngineLauncher {
    private static final long LEAST_SPACE_MB = 200;

    @Override
    public String engine() {
        return "postgresql";
    }

    @Override
    public RunningEngine start(Node node, String database, StateFolder state) {
        Path programs = PostgresBinaries.of(node);
        Path home = home(node, state);
        checkSpace(node, home);
        Path data = home.resolve("data");
        try {
            if (!Files.exists(data.resolve("PG_VERSION"))) {
                initialise(node, programs, home, data);
            }
            PostgresServer server = new PostgresServer(node, database, programs, home, state);
            server.start();
            return server;
        } catch (IOException e) {
            throw new EngineException(
                    "%s: the data folder %s cannot be prepared: %s".formatted(node.name(), data, e.getMessage()), e);
        }
    }

    private static Path home(Node node, StateFolder state) {
        if (node.storage() == Storage.MEMORY) {
            return state.inMemory(node.name());
        }
        return node.data().map(Path::of).map(Path::toAbsolutePath).orElseGet(() -> state.onDisk(node.name()));
    }

    private static void checkSpace(Node node, Path home) {
        Path there = home;
        while (!Files.exists(there)) {
            there = Objects.requireNonNull(there.getParent()); // the root exists
        }
        long megabytes = there.toFile().getUsableSpace() >> 20;
        if (megabytes < LEAST_SPACE_MB) {
            throw new EngineException("%s: %s has only %d MB free%s"
                    .formatted(
                            node.name(),
                            there,
                            megabytes,
                            node.storage() == Storage.MEMORY
                                    ? "; make it larger, or keep satellites on disk (optimization: C0)"
                                    : ""));
        }
    }

    /** A new database cluster whose only user has a password that nobody else knows. */
    private static void initialise(Node node, Path programs, Path home, Path data) throws IOException {
        StateFolder.remove(data);
        Files.createDirectories(data);
        for (Path folder = home.getParent(); folder != null && isOurs(folder); folder = folder.getParent()) {
            ServerUser.letPass(folder);
        }
        ServerUser.give(home);
        ServerUser.give(data);
        Path password = home.resolve("password");
        Files.writeString(password, newPassword());
        ServerUser.giveFile(password);
        List<String> command = new ArrayList<>(ServerUser.prefix());
        command.addAll(List.of(
                programs.resolve("bin/initdb").toString(), "-D", data.toString(), "-U", "postgres", "-E", "UTF8"));
        command.addAll(List.of(
                "--locale=C", "--auth=scram-sha-256", "--pwfile=" + password, "--no-sync", "--no-instructions"));
        Commands.run(node.name() + ": initdb", home, command);
        Files.writeString(
                data.resolve("postgresql.conf"),
                "\ninclude 'multimed.conf'\n",
                java.nio.file.StandardOpenOption.APPEND);
    }

    private static boolean isOurs(Path folder) {
        return folder.getFileName() != null && folder.getFileName().toString().startsWith("multimed");
    }

    private static String newPassword() {
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }
}
