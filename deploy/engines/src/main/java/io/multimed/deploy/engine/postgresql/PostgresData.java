package io.multimed.deploy.engine.postgresql;

import io.multimed.deploy.engine.Commands;
import io.multimed.deploy.engine.EngineException;
import io.multimed.deploy.engine.ServerUser;
import io.multimed.deploy.engine.StateFolder;
import io.multimed.model.Node;
import io.multimed.model.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A server's data folder, and the password beside it, which outlives the data. */
record PostgresData(Node node, Path programs, Path home) {
    Path folder() {
        return home.resolve("data");
    }

    Path password() {
        return home.resolve("password");
    }

    private boolean exists() {
        return Files.exists(folder().resolve("PG_VERSION"));
    }

    /**
     * Makes the folder if it is not there.
     *
     * @throws EngineException if a master's data is gone: to begin anew would be to lose everything without a word
     */
    void prepare() throws IOException {
        if (exists()) {
            return;
        }
        if (node.role() == Role.MASTER && Files.exists(password())) {
            throw new EngineException(
                    "%s: the master's data is gone from %s; put it back, or remove %s to begin with an empty database"
                            .formatted(node.name(), folder(), home));
        }
        initialise();
    }

    /** A new database cluster whose only user has a password that nobody else knows. */
    private void initialise() throws IOException {
        StateFolder.remove(folder());
        Files.createDirectories(folder());
        for (Path above = home.getParent(); above != null && isOurs(above); above = above.getParent()) {
            ServerUser.letPass(above);
        }
        ServerUser.give(home);
        ServerUser.give(folder());
        if (!Files.exists(password())) {
            Files.writeString(password(), newPassword());
            ServerUser.giveFile(password());
        }
        Commands.run(node.name() + ": initdb", home, command());
        Files.writeString(
                folder().resolve("postgresql.conf"), "\ninclude 'multimed.conf'\n", StandardOpenOption.APPEND);
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(ServerUser.prefix());
        command.addAll(List.of(programs.resolve("bin/initdb").toString(), "-D", folder().toString()));
        command.addAll(List.of("-U", "postgres", "-E", "UTF8", "--locale=C", "--auth=scram-sha-256"));
        command.addAll(List.of("--pwfile=" + password(), "--no-sync", "--no-instructions"));
        return command;
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
