package io.multimed.middleware.dispatcher;

import io.multimed.middleware.node.NamedThreads;
import io.multimed.middleware.node.engine.SqlDialect;
import io.multimed.middleware.propagation.Master;
import io.multimed.middleware.propagation.Satellites;
import io.multimed.middleware.writeset.Scn;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Binds each transaction to a Computational Node (paper §3.3.2): updates to the master, reads to a satellite that shows everything published before they
 * began. What all sessions share; each has a {@link Conversation} of its own. Thread-safe.
 */
public final class Dispatcher implements AutoCloseable {
    private final Master master;
    private final Satellites satellites;
    private final ReadRouter router;
    private final StatementClassifier classifier;
    private final SqlDialect dialect;
    private final AdministrativeDesk desk;

    /** Parsing a new statement takes milliseconds: not on the I/O threads. At most one task per client waits. */
    private final ExecutorService classification = Executors.newFixedThreadPool(2, new NamedThreads("classification"));

    public Dispatcher(
            Master master,
            Satellites satellites,
            ReadRouter router,
            StatementClassifier classifier,
            Administration administration) {
        this.master = master;
        this.satellites = satellites;
        this.desk = new AdministrativeDesk(administration);
        this.router = router;
        this.classifier = classifier;
        this.dialect = master.node().engine().dialect();
    }

    /**
     * Begins a session's conversation.
     *
     * @param sessionId must be unique for ever, because it names the session's commits
     * @param administrator whether the client may change and check the running system
     */
    public Conversation open(long sessionId, boolean administrator) {
        return new Conversation(sessionId, administrator, this);
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

    AdministrativeDesk desk() {
        return desk;
    }

    void classifyLater(Runnable work) {
        classification.execute(work);
    }

    @Override
    public void close() {
        classification.shutdownNow();
        desk.close();
        router.close();
    }
}
