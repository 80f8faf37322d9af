// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.deploy.launcher.machine.MachineMemory;
import io.multimed.deploy.launcher.pooler.Pooler;
import io.multimed.model.NodeSpec;
import io.multimed.model.Source;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * The launchers of all engines. {@link ServiceLoader} finds them: a new engine needs a line in {@code
 * META-INF/services/io.multimed.deploy.launcher.EngineLauncher}.
 */
public final class Launchers {
    /** In the order of the service file. */
    private static final List<EngineLauncher> ALL =
            ServiceLoader.load(EngineLauncher.class, Launchers.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();

    private Launchers() {}

    /**
     * Starts a node's engine, and returns when the engine accepts connections. An external engine is not started.
     *
     * @param wanted definition of the node
     * @param database created if absent
     * @param state folder for the data
     * @throws EngineException with the node's name if the engine does not start
     */
    public static RunningEngine start(NodeSpec wanted, String database, StateFolder state) {
        if (wanted.program().source() == Source.EXTERNAL) {
            return new ExternalEngine(wanted);
        }
        return start(wanted, database, state, (launcher, home) -> launcher.program(home.node(), home));
    }

    /** Starts the server that standbys follow: as {@link #start}, with a limit of the log that is kept for them. */
    public static RunningEngine startPrimary(NodeSpec wanted, String database, StateFolder state) {
        return start(wanted, database, state, (launcher, home) -> launcher.primary(home.node(), home));
    }

    /**
     * Starts a standby, which is made from a running server if there is no data yet, and returns when the standby
     * accepts connections.
     *
     * @param primary the server that the standby follows, on this machine, with a database of this name
     * @throws EngineException with the node's name if the standby cannot be made or does not start
     */
    public static RunningEngine startStandby(
            NodeSpec wanted, RunningEngine primary, String database, StateFolder state) {
        return start(wanted, database, state, (launcher, home) -> launcher.standby(home.node(), home, primary));
    }

    private static RunningEngine start(
            NodeSpec wanted,
            String database,
            StateFolder state,
            BiFunction<EngineLauncher, ServerHome, ServerProgram> program) {
        MachineMemory.check(wanted);
        NodeSpec node = LocalEngines.locate(wanted);
        EngineLauncher launcher = of(node.engine());
        ServerHome home = ServerHome.of(node, state, launcher.user());
        EngineServer server = new EngineServer(home, program.apply(launcher, home), database, state);
        server.start();
        return server;
    }

    /**
     * Checks whether a node's engine could be started on this machine: its memory, its binaries, and its port. Starts
     * nothing.
     *
     * @throws EngineException with the node's name and a remedy
     */
    public static void check(NodeSpec wanted) {
        if (wanted.program().source() == Source.EXTERNAL) {
            return;
        }
        MachineMemory.check(wanted);
        NodeSpec node = LocalEngines.locate(wanted);
        node.program().installation().ifPresent(folder -> {
            if (!Files.isDirectory(Path.of(folder))) {
                throw new EngineException("%s: there is no installation in %s".formatted(node.name(), folder));
            }
        });
    }

    /**
     * Returns a server that another process of Multimed runs, as a source of addresses and process ids. The caller does
     * not stop, start or close the server, which belongs to the other process.
     *
     * @param running definition of the node, with its port
     * @param database created if absent
     * @param state state folder of the other process
     * @throws EngineException if the server does not accept connections
     */
    public static RunningEngine running(NodeSpec running, String database, StateFolder state) {
        NodeSpec node = LocalEngines.locate(running);
        EngineLauncher launcher = of(node.engine());
        ServerHome home = ServerHome.of(node, state, launcher.user());
        ServerProgram program = launcher.program(node, home);
        if (node.port() != 0) {
            try {
                program.createDatabase(node.port(), database);
            } catch (SQLException e) {
                throw new EngineException("%s: %s".formatted(node.name(), e.getMessage()), e);
            }
        }
        return new EngineServer(home, program, database, state);
    }

    /** Returns the connection poolers that can stand in front of an engine. */
    public static List<Pooler> poolers(String engine) {
        return of(engine).poolers();
    }

    static List<EngineLauncher> all() {
        return ALL;
    }

    /** Returns the launcher of an engine of the System Model. */
    static EngineLauncher of(String engine) {
        return ALL.stream()
                .filter(launcher -> launcher.engine().equals(engine))
                .findFirst()
                .orElseThrow(() -> new EngineException("unknown engine %s; the engines are %s"
                        .formatted(
                                engine, ALL.stream().map(EngineLauncher::engine).collect(Collectors.joining(", ")))));
    }
}
