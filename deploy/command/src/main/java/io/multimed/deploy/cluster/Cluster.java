package io.multimed.deploy.cluster;

import io.multimed.deploy.engine.RunningEngine;
import io.multimed.deploy.engine.StateFolder;
import io.multimed.middleware.Middleware;
import io.multimed.model.Node;
import io.multimed.model.SystemModel;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Everything that a System Model describes, running: engines on their cores, which are started again if they die, then the middleware. Stops in reverse. */
public final class Cluster implements AutoCloseable {
    private static final long POLL_MILLIS = 20;

    private final KeptEngines engines;

    /** Null until it has started. */
    private @Nullable Middleware middleware;

    private Cluster(SystemModel model, StateFolder state, Consumer<String> progress) throws SQLException, IOException {
        engines = new KeptEngines(model.database(), state);
        try {
            for (Node node : model.nodes()) {
                progress.accept("starting " + node.name());
                engines.launch(node);
            }
            progress.accept("starting the middleware");
            middleware = Middleware.start(model, engines::access, engines);
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

    public RunningEngine engine(String node) {
        return engines.engine(node);
    }

    public Middleware middleware() {
        return Objects.requireNonNull(middleware);
    }

    /** Waits until every satellite serves and has applied what is published. */
    public void awaitSatellites() throws InterruptedException {
        while (middleware().status().nodes().stream()
                .anyMatch(node -> !node.state().equals("ONLINE") || node.lagScns() > 0)) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    @Override
    public void close() {
        Middleware running = middleware;
        if (running != null) {
            running.close();
        }
        engines.close();
    }
}
