package io.multimed.deploy.engine.postgresql;

import io.multimed.deploy.engine.EngineException;
import io.multimed.deploy.engine.EngineLauncher;
import io.multimed.deploy.engine.RunningEngine;
import io.multimed.deploy.engine.StateFolder;
import io.multimed.model.Node;
import io.multimed.model.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        try {
            PostgresServer server = new PostgresServer(node, database, programs, home, state);
            server.start();
            return server;
        } catch (IOException e) {
            throw new EngineException(
                    "%s: its folder %s cannot be prepared: %s".formatted(node.name(), home, e.getMessage()), e);
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
}
