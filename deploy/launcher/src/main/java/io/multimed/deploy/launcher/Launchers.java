package io.multimed.deploy.launcher;

import io.multimed.model.NodeSpec;
import io.multimed.model.Source;
import java.util.List;
import java.util.ServiceLoader;
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
        if (wanted.source() == Source.EXTERNAL) {
            return new ExternalEngine(wanted);
        }
        MachineMemory.check(wanted);
        NodeSpec node = LocalEngines.locate(wanted);
        EngineLauncher launcher = of(node.engine());
        ServerHome home = ServerHome.of(node, state, launcher.user());
        EngineServer server = new EngineServer(home, launcher.program(node, home), database, state);
        server.start();
        return server;
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
