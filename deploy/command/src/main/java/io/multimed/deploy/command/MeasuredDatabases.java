// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.deploy.cluster.DefaultStateFolder;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.StateLock;
import io.multimed.jdbc.MultimedDataSource;
import io.multimed.tpcw.run.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that name the databases to measure: running databases, and plain engines that the command starts. */
public final class MeasuredDatabases {
    /** Connections of a plain engine; no command uses more emulated browsers. */
    private static final int CONNECTIONS = 1_000;

    @Mixin
    private DatabaseOptions databases;

    @Option(
            names = "--engine",
            completionCandidates = EngineOption.Engines.class,
            description = {
                "Start a plain engine with all cores for this command and use it: ${COMPLETION-CANDIDATES}.",
                "Can be combined with --url for a comparison. Loaded data is kept for the next command."
            })
    private List<String> engines = new ArrayList<>();

    @Option(
            names = "--embedded",
            description =
                    "Use a dispatcher within the process of this command: of the System Model of --model, or of a master and two standbys that are started. Can be combined with --url and --engine.")
    private boolean embedded;

    @Option(names = "--model", description = "The System Model of --embedded.")
    private @Nullable Path model;

    @Option(names = "--state", description = "Folder for the data of --engine.")
    private @Nullable Path state;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    MeasuredDatabases() {}

    /** The databases to measure. Closing stops the engines that the command started, in reverse order. */
    public record Open(List<Target> targets, Deque<Plain> started) implements AutoCloseable {
        /**
         * Returns the only database.
         *
         * @throws IllegalArgumentException if the user named none or several
         */
        Target single() {
            if (targets.size() != 1) {
                throw new IllegalArgumentException("this command accepts exactly one --url or --engine");
            }
            return targets.get(0);
        }

        @Override
        public void close() {
            started.forEach(Plain::close);
        }
    }

    /** A plain engine, and the lock of the engine's state folder. */
    private record Plain(RunningEngine engine, StateLock lock) implements AutoCloseable {
        @Override
        public void close() {
            engine.close();
            lock.close();
        }
    }

    /**
     * Starts the plain engines and returns all databases. Without any option, this is the default URL. If a start
     * fails, the engines that were started before are stopped.
     *
     * @throws IllegalArgumentException if an engine cannot be started on this machine, or a URL is invalid
     */
    public Open open() throws IOException {
        if (model != null && !embedded) {
            throw new IllegalArgumentException("--model needs --embedded");
        }
        Open open = new Open(new ArrayList<>(), new ArrayDeque<>());
        try {
            for (String engine : engines) {
                Plain plain = start(EngineOption.checked(engine));
                open.started.push(plain);
                RunningEngine started = plain.engine;
                open.targets.add(new Target(started.title(), started.jdbcUrl(), started.user(), started.password()));
            }
            if (embedded) {
                open.targets.add(new Target("embedded", embeddedUrl(), "", ""));
            }
            if ((engines.isEmpty() && !embedded) || databases.isNamed()) {
                open.targets.addAll(databases.targets());
            }
            return open;
        } catch (IOException | RuntimeException e) {
            open.close();
            throw e;
        }
    }

    private String embeddedUrl() {
        MultimedDataSource source = new MultimedDataSource();
        source.setModel(model == null ? "" : model.toString());
        return source.getUrl();
    }

    /** Starts a plain engine on a lasting folder: data that one command has loaded is available to the next command. */
    private Plain start(String engine) throws IOException {
        StateFolder folder =
                StateFolder.lasting(DefaultStateFolder.of(state, "plain").resolve(engine));
        StateLock lock = StateLock.take(folder);
        try {
            return new Plain(Launchers.start(QuickstartModel.plain(engine, CONNECTIONS), "tpcw", folder), lock);
        } catch (RuntimeException e) {
            lock.close();
            throw e;
        }
    }
}
