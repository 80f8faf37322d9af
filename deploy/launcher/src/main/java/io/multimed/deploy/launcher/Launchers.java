package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.mariadb.MariaDbLauncher;
import io.multimed.deploy.launcher.mysql.MySqlLauncher;
import io.multimed.deploy.launcher.postgresql.PostgresLauncher;
import io.multimed.model.NodeSpec;
import io.multimed.model.Source;
import java.util.List;
import java.util.stream.Collectors;

/** The launchers that there are. One more engine is one more line here. */
public final class Launchers {
    private static final List<EngineLauncher> ALL =
            List.of(new PostgresLauncher(), new MariaDbLauncher(), new MySqlLauncher());

    private Launchers() {}

    /**
     * Starts a node's engine and returns when it answers, or, if it is external, just says how it is reached.
     *
     * @param database is created if it is not there
     * @throws EngineException with the node's name, if it does not start
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

    static EngineLauncher of(String engine) {
        return ALL.stream()
                .filter(launcher -> launcher.engine().equals(engine))
                .findFirst()
                .orElseThrow(() -> new EngineException("no engine is called %s: it is one of %s"
                        .formatted(
                                engine, ALL.stream().map(EngineLauncher::engine).collect(Collectors.joining(", ")))));
    }
}
