package io.multimed.server.dispatcher;

import io.multimed.engine.SqlDialect;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.protocol.Recalled;
import io.multimed.server.node.NamedThreads;
import io.multimed.server.propagation.Master;
import io.multimed.server.propagation.Satellites;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Binds each transaction to a Computational Node (paper §3.3.2): updates to the master, reads to a satellite that shows everything published before they
 * began. What all sessions share; each has a {@link Conversation} of its own. Thread-safe.
 */
public final class Dispatcher implements AutoCloseable {
    private static final int PROVING = 2;
    private static final int PROVED_LATER = 64;

    private final Master master;
    private final Satellites satellites;
    private final ReadRouter router;
    private final StatementClassifier classifier;
    private final SqlDialect dialect;
    private final SwiftUpdates swiftUpdates;
    private final AdministrativeDesk desk;

    private final CommitOutcomes outcomes;
    private final LateTellings lateTellings = new LateTellings(this);
    private final Pins pins;
    private final int masterIsolation;
    private final MemoryBudget memory;
    private final UploadFolder uploadFolder = new UploadFolder(Path.of(System.getProperty("java.io.tmpdir")));

    /** Parsing a new statement takes milliseconds: not on the I/O threads. At most one task per client waits. */
    private final ExecutorService preparation = Executors.newFixedThreadPool(2, new NamedThreads("preparation"));

    /**
     * Proves that queries are pure reads, which may take longer. Other statements do not wait for proofs; if too many
     * are queued, the master runs the queries without a proof.
     */
    private final ThreadPoolExecutor proving = new ThreadPoolExecutor(
            PROVING, PROVING, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(PROVED_LATER), new NamedThreads("proof"));

    /**
     * @param masterIsolation the isolation level of a transaction on the master that requests none
     * @param memory for the requests and results of clients
     */
    public Dispatcher(
            Master master,
            Satellites satellites,
            ReadRouter router,
            StatementClassifier classifier,
            Administration administration,
            int masterIsolation,
            MemoryBudget memory) {
        this.memory = memory;
        this.master = master;
        this.masterIsolation = masterIsolation;
        this.satellites = satellites;
        this.desk = new AdministrativeDesk(administration);
        this.router = router;
        this.classifier = classifier;
        this.dialect = master.node().engine().dialect();
        this.outcomes = new CommitOutcomes(master);
        this.swiftUpdates = new SwiftUpdates(new SwiftKinds(
                master.extractor().piggybackCommit(), master.extractor().sharedCommit(), dialect, masterIsolation));
        this.pins = new Pins(master.node().connections());
        master.publisher().whenBypassed(this::noteSchema);
    }

    /**
     * Begins a session's conversation.
     *
     * @param sessionId must be unique for ever, because it names the session's commits
     * @param administrator whether the client may change and check the running system
     * @param zone the client's time zone, of java.util.TimeZone; empty if it has none
     */
    public Conversation open(long sessionId, boolean administrator, String zone) {
        return new Conversation(sessionId, administrator, zone, this);
    }

    /** How the nodes stand now. */
    public StatusReport status() {
        return StatusReport.of(master, satellites, pins.summary());
    }

    /**
     * Finds out whether a request of a session that has ended committed.
     *
     * @param knownScn one that was published before the request was sent
     * @param to hears COMMITTED, NOT_COMMITTED or UNKNOWN, from any thread; must not block
     */
    public void recall(long sessionId, int sequence, long knownScn, Consumer<Recalled> to) {
        outcomes.ask(new Receipt(sessionId, sequence), new Scn(knownScn), to);
    }

    /** The last published SCN. */
    public long publishedScn() {
        return published().value();
    }

    CommitOutcomes outcomes() {
        return outcomes;
    }

    LateTellings lateTellings() {
        return lateTellings;
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

    SwiftUpdates swiftUpdates() {
        return swiftUpdates;
    }

    MemoryBudget memory() {
        return memory;
    }

    UploadFolder uploadFolder() {
        return uploadFolder;
    }

    int masterIsolation() {
        return masterIsolation;
    }

    Pins pins() {
        return pins;
    }

    SqlDialect dialect() {
        return dialect;
    }

    AdministrativeDesk desk() {
        return desk;
    }

    /** Invalidates cached classifications if a transaction may have changed the schema. */
    void noteSchema(WriteSet writeSet) {
        if (dialect.mayChangeFacts(writeSet)) {
            classifier.schemaChanged();
        }
        if (writeSet.mayChangeSchema() && dialect.outdatesConnections(writeSet)) {
            renewConnections();
        }
    }

    /** Makes all further leases of the master use new connections, whose driver has not cached any schema. */
    void renewConnections() {
        master.node().renewConnections();
        master.swiftLane().renewConnections();
    }

    /**
     * Runs a task that is too long for an I/O thread and needs no engine: parsing new SQL, storing large parameters. At
     * most one task per client waits here.
     */
    void runOffIoThread(Runnable work) {
        preparation.execute(work);
    }

    /**
     * Runs the proof that a query is a pure read.
     *
     * @return false if too many proofs are queued
     */
    boolean prove(Runnable work) {
        try {
            proving.execute(work);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    @Override
    public void close() {
        preparation.shutdownNow();
        proving.shutdownNow();
        desk.close();
        lateTellings.close();
        outcomes.close();
        router.close();
        uploadFolder.close();
    }
}
