package io.multimed.deploy.engine;

import io.multimed.deploy.engine.postgresql.PostgresLauncher;
import io.multimed.model.Node;
import io.multimed.model.Source;
import java.util.List;

/** The launchers that there are. One more engine is one more line here. */
public final class Launchers {
    private static final List<EngineLauncher> ALL = List.of(new PostgresLauncher());

    private Launchers() {}

    /** Starts a node's engine, or, if it is external, just says how it is reached. */
    public static RunningEngine start(Node node, String database, StateFolder state) {
        if (node.source() == Source.EXTERNAL) {
            return new ExternalEngine(node);
        }
        return ALL.stream()
                .filter(launcher -> launcher.engine().equals(node.engine()))
                .findFirst()
                .orElseThrow(
                        () -> new EngineException("%s: no engine is called %s".formatted(node.name(), node.engine())))
                .start(node, database, state);
    }
}
