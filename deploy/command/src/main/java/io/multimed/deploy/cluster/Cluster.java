package io.multimed.deploy.cluster;

import io.multimed.deploy.engine.Keeper;
import io.multimed.deploy.engine.Launchers;
import io.multimed.deploy.engine.RunningEngine;
import io.multimed.deploy.engine.StateFolder;
import io.multimed.middleware.Middleware;
import io.multimed.middleware.node.engine.NodeAccess;
import io.multimed.model.Node;
import io.multimed.model.SystemModel;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everything that a System Model describes, running: engines on their cores, which are started again if they die, then the middleware. Stops in reverse. */
public final class Cluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
    private static final long POLL_MILLIS = 20;

    private final Map<String, RunningEngine> engines = new HashMap<>();
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private final Middleware middleware;

    private Cluster(SystemModel model, StateFolder state, Consumer<String> progress) throws SQLException, IOException {
        try {
            for (Node node : model.nodes()) {
                progress.accept("starting " + node.name());
                RunningEngine engine = Launchers.start(node, model.database(), state);
                engines.put(node.name(), engine);
                started.push(engine);
                started.push(Keeper.of(engine));
            }
            progress.accept("starting the middleware");
            middleware = Middleware.start(model, this::access);
            started.push(middleware);
        } catch (SQLException | IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Starts a model.
     *
     * @param state where engines keep their data
     * @param progress hears what is being done
     */
    public static Cluster start(SystemModel model, StateFolder state, Consumer<String> progress)
            throws SQLException, IOException {
        return new Cluster(model, state, progress);
    }

    private NodeAccess access(Node node) {
        RunningEngine engine = engine(node.name());
        return new NodeAccess(node.name(), engine.jdbcUrl(), engine.user(), engine.password());
    }

    public RunningEngine engine(String node) {
        return Objects.requireNonNull(engines.get(node));
    }

    public Middleware middleware() {
        return middleware;
    }

    /** Waits until every satellite serves and has applied what is published. */
    public void awaitSatellites() throws InterruptedException {
        while (middleware.status().nodes().stream()
                .anyMatch(node -> !node.state().equals("ONLINE") || node.lagScns() > 0)) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    @Override
    public void close() {
        while (!started.isEmpty()) {
            try {
                started.pop().close();
            } catch (Exception e) {
                LOG.warn("not stopped cleanly: {}", e.getMessage());
            }
        }
    }
}
