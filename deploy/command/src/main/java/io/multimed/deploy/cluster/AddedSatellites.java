package io.multimed.deploy.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.model.ModelException;
import io.multimed.model.Node;
import io.multimed.model.SystemModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The satellites that were added while Multimed ran, so that they come back with the next start: a file for each in the folder {@code satellites} of the state folder, in the form of an
 * entry of {@code nodes}, for nobody else to read. The System Model's own nodes come first.
 */
public final class AddedSatellites {
    private static final String ENDING = ".yaml";

    private final Path folder;

    /** @param state the state folder */
    public AddedSatellites(Path state) {
        this.folder = state.resolve("satellites");
    }

    /** From now on the satellite is there after a start. */
    void remember(String name, String definition) throws IOException {
        Files.createDirectories(folder);
        Path whole = Files.createTempFile(folder, name, ".new"); // for nobody else to read: passwords may be in it
        Files.write(whole, definition.getBytes(UTF_8));
        Files.move(whole, file(name), StandardCopyOption.ATOMIC_MOVE);
    }

    void forget(String name) throws IOException {
        Files.deleteIfExists(file(name));
    }

    private Path file(String name) {
        return folder.resolve(name + ENDING);
    }

    /** Forgets all. */
    public void forgetAll() throws IOException {
        for (String name : names()) {
            forget(name);
        }
    }

    private List<String> names() throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(ENDING))
                    .map(name -> name.substring(0, name.length() - ENDING.length()))
                    .sorted()
                    .toList();
        }
    }

    /**
     * The model with what was added to it. What it names itself by now is forgotten here; what does not fit it any more is left out.
     *
     * @param progress hears of each of them
     */
    SystemModel join(SystemModel model, Consumer<String> progress) throws IOException {
        SystemModel joined = model;
        for (String name : names()) {
            if (model.nodes().stream().map(Node::name).anyMatch(name::equals)) {
                forget(name);
            } else {
                joined = join(joined, name, progress);
            }
        }
        return joined;
    }

    private SystemModel join(SystemModel model, String name, Consumer<String> progress) throws IOException {
        Path file = file(name);
        try {
            SystemModel joined = model.withSatellite(Files.readString(file), file.toString());
            progress.accept("%s, which was added while Multimed ran, belongs to it (%s)".formatted(name, file));
            return joined;
        } catch (ModelException e) {
            progress.accept(
                    "%s, which was added while Multimed ran, does not fit the System Model and is left out; change one of them, or remove the file: %s"
                            .formatted(name, e.getMessage()));
            return model;
        }
    }
}
