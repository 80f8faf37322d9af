package io.multimed.middleware.dispatcher;

import io.multimed.middleware.node.NamedThreads;
import io.multimed.middleware.node.engine.SqlDialect;
import io.multimed.middleware.propagation.Master;
import io.multimed.middleware.propagation.Satellite;
import io.multimed.middleware.writeset.Scn;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Binds each transaction to a Computational Node (paper §3.3.2): updates to the master, reads to a satellite that shows everything published before they
 * began. What all sessions share; each has a {@link Conversation} of its own. Thread-safe.
 */
public final class Dispatcher implements AutoCloseable {
    private final Master master;
    private final List<Satellite> satellites;
    private final ReadRouter router;
    private final StatementClassifier classifier;
    private final SqlDialect dialect;

    /** Parsing a new statement takes milliseconds: not on the I/O threads. At most one task per client waits. */
    private final ExecutorService classification = Executors.newFixedThreadPool(2, new NamedThreads("classification"));

    public Dispatcher(Master master, List<Satellite> satellites, ReadRouter router, StatementClassifier classifier) {
        this.master = master;
        this.satellites = List.copyOf(satellites);
        this.router = router;
        this.classifier = classifier;
        this.dialect = master.node().engine().dialect();
    }

    /** Begins a session's conversation; its id must be unique for ever, because it names the session's commits. */
    public Conversation open(long sessionId) {
        return new Conversation(sessionId, this);
    }

    /** How the nodes stand now. */
    public StatusReport status() {
        return StatusReport.of(master, satellites);
    }

    Scn published() {
        return master.publisher().published();
    }

    Master master() {
        return master;
    }

    ReadRouter router() {
        return router;
    }

    StatementClassifier classifier() {
        return classifier;
    }

    SqlDialect dialect() {
        return dialect;
    }

    void classifyLater(Runnable work) {
        classification.execute(work);
    }

    @Override
    public void close() {
        classification.shutdownNow();
        router.close();
    }
}
