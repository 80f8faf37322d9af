// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.figure;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The resources that the points of all figures share: the scope, a folder for data, and running databases. Used by
 * one thread. Closing stops the databases.
 */
public final class Workbench implements Closeable {
    private final Scope scope;
    private final Path folder;
    private final Consumer<String> progress;
    private final Consumer<String> warnings;
    private final Map<Object, Closeable> kept = new LinkedHashMap<>();

    /** Versions of the engines that have run, by the name of the engine. */
    private final Map<String, String> versions = new TreeMap<>();

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

    /** Records the version of an engine that runs. */
    public void recordVersion(String engine, String version) {
        versions.put(engine, version);
    }

    /** Returns the versions of the engines that have run since the start. */
    public Map<String, String> versions() {
        return Map.copyOf(versions);
    }

    /** Closes what is kept, except what has a wanted key. */
    public void keepOnly(Predicate<Object> wanted) throws IOException {
        for (Object key : List.copyOf(kept.keySet())) {
            if (!wanted.test(key)) {
                Objects.requireNonNull(kept.remove(key)).close();
            }
        }
    }

    /**
     * Returns what the key describes: that of an earlier call with an equal key, otherwise something new. Nothing
     * limits how much is kept: call {@link #keepOnly} before.
     *
     * @param what has equals; determines completely what is started
     */
    @SuppressWarnings("unchecked") // equal keys have the same type of content
    public <T extends Closeable> T keep(Object what, Start<T> start) throws Exception {
        if (!kept.containsKey(what)) {
            kept.put(what, start.start());
        }
        return (T) Objects.requireNonNull(kept.get(what));
    }

    @Override
    public void close() throws IOException {
        keepOnly(any -> false);
    }
}
