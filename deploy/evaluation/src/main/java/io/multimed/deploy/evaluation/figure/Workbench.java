package io.multimed.deploy.evaluation.figure;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the points of all figures share: the scope, a folder for data, and the databases of the last point. Used by one
 * thread. Closing stops the databases.
 */
public final class Workbench implements Closeable {
    private final Scope scope;
    private final Path folder;
    private final Consumer<String> progress;
    private final Consumer<String> warnings;
    private @Nullable Object key;
    private @Nullable Closeable kept;

    /** Starts what a key describes. */
    @FunctionalInterface
    public interface Start<T extends Closeable> {
        T start() throws Exception;
    }

    /**
     * @param folder for data of engines; belongs to the caller
     * @param progress receives the current step
     * @param warnings receives what a reader of the values has to know
     */
    public Workbench(Scope scope, Path folder, Consumer<String> progress, Consumer<String> warnings) {
        this.scope = scope;
        this.folder = folder;
        this.progress = progress;
        this.warnings = warnings;
    }

    /** Returns how much is measured. */
    public Scope scope() {
        return scope;
    }

    /** Returns the folder for data of engines. */
    public Path folder() {
        return folder;
    }

    /** Displays the current step. */
    public void show(String step) {
        progress.accept(step);
    }

    /** Prints a line that stays: an operation that failed, for example. */
    public void warn(String line) {
        warnings.accept(line);
    }

    /**
     * Returns what the key describes: that of the last call with an equal key, otherwise something new, after what was
     * kept has been closed.
     *
     * @param what has equals; determines completely what is started
     */
    @SuppressWarnings("unchecked") // equal keys have the same type of content
    public <T extends Closeable> T keep(Object what, Start<T> start) throws Exception {
        if (!what.equals(key)) {
            close();
            kept = start.start();
            key = what;
        }
        return (T) Objects.requireNonNull(kept);
    }

    @Override
    public void close() throws IOException {
        Closeable old = kept;
        kept = null;
        key = null;
        if (old != null) {
            old.close();
        }
    }
}
