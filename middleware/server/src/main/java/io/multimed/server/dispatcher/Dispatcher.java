// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.response.OutcomeAnswer;
import io.multimed.server.dispatcher.administration.Administration;
import io.multimed.server.dispatcher.administration.AdministrationExecutor;
import io.multimed.server.dispatcher.administration.CachedStatements;
import io.multimed.server.dispatcher.administration.StatusReport;
import io.multimed.server.dispatcher.admission.RoutingClass;
import io.multimed.server.dispatcher.admission.RoutingClasses;
import io.multimed.server.dispatcher.admission.StatementLimits;
import io.multimed.server.dispatcher.cache.ResultCache;
import io.multimed.server.dispatcher.classification.AsynchronousClassifier;
import io.multimed.server.dispatcher.classification.StatementClassifier;
import io.multimed.server.dispatcher.execution.InternalReceipts;
import io.multimed.server.dispatcher.execution.PendingDdl;
import io.multimed.server.dispatcher.execution.SchemaInvalidation;
import io.multimed.server.dispatcher.execution.ServerContext;
import io.multimed.server.dispatcher.execution.Suspensions;
import io.multimed.server.dispatcher.group.GroupCapabilities;
import io.multimed.server.dispatcher.group.GroupedStatements;
import io.multimed.server.dispatcher.read.ReadTexts;
import io.multimed.server.dispatcher.rights.RoleRights;
import io.multimed.server.dispatcher.routing.SatelliteSelector;
import io.multimed.server.dispatcher.session.PinnedSessions;
import io.multimed.server.dispatcher.session.TransactionForecast;
import io.multimed.server.dispatcher.statement.CancelThreads;
import io.multimed.server.dispatcher.statement.UploadFolder;
import io.multimed.server.node.task.CallingThread;
import io.multimed.server.observation.SlowStatements;
import io.multimed.server.propagation.commit.CommitOutcomes;
import io.multimed.server.propagation.commit.Master;
import io.multimed.server.propagation.freshness.PublishedTimes;
import io.multimed.server.propagation.replication.Satellite;
import io.multimed.server.propagation.replication.Satellites;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Binds each transaction to a Computational Node (paper §3.3.2): an update to the master, a read to a satellite that
 * shows everything published before the read began.
 *
 * <p>Owns the parts that all sessions share. Each session has its own {@link ClientConnectionHandler}. Thread-safe.
 */
public final class Dispatcher implements AutoCloseable {
    private final ServerContext server;
    private final Satellites satellites;
    private final SharedServices shared;

    /**
     * @param memory bounds the requests and results of all clients
     */
    public Dispatcher(
            Master master,
            Satellites satellites,
            SatelliteSelector selector,
            StatementClassifier classifier,
            Administration administration,
            DispatcherOptions options,
            MemoryBudget memory) {
        this.satellites = satellites;
        this.server = context(master, selector, classifier, options);
        GroupCapabilities capabilities = new GroupCapabilities(
                master.extractor().piggybackCommit(),
                master.extractor().sharedCommit(),
                master.node().engine().groupsRoles(),
                server.dialect(),
                master.node().engine().groupIsolation(),
                options.masterIsolation());
        RoleRights rights = new RoleRights(new MasterRights(master), master.criticalThreads());
        server.schema().onPrivileges(rights::changed);
        rights.start();
        ResultCache cache = new ResultCache(
                options.cacheBytes(),
                master.publisher().tableScns(),
                () -> master.defaults().present().number());
        this.shared = new SharedServices(
                server,
                new SharedServices.Texts(
                        new AsynchronousClassifier(classifier),
                        new GroupedStatements(capabilities),
                        new ReadTexts(server.dialect().reader(), cache),
                        rights,
                        satellites::mayStoreViews),
                cache,
                new CommitOutcomes(master),
                new SharedServices.Limits(
                        memory,
                        new StatementLimits(
                                options.maxStatements(),
                                options.acquireTimeout().toMillis(),
                                options.refusals()),
                        new RoutingClasses(options.routingClasses()),
                        new UploadFolder(Path.of(System.getProperty("java.io.tmpdir"))),
                        new CancelThreads()),
                new SharedServices.Reports(
                        new AdministrationExecutor(administration, options.metrics()),
                        this::status,
                        options.observer(),
                        options.audit()));
        master.publisher().onBypassedCommit(server.schema()::committed);
        master.defaults().onChange(this::adoptDefaults);
        master.defaults().onRoles(rights::changed);
    }

    /** Makes all nodes, and all that is known about statements, follow changed settings of sessions. */
    private void adoptDefaults() {
        server.schema().defaultsChanged();
        satellites.all().forEach(Satellite::requestDefaults);
        server.selector().stoppedServing();
    }

    private static ServerContext context(
            Master master, SatelliteSelector selector, StatementClassifier classifier, DispatcherOptions options) {
        SchemaInvalidation schema = new SchemaInvalidation(master, classifier);
        master.onDirectSchemaChange(schema::committed);
        InternalReceipts receipts = new InternalReceipts();
        return new ServerContext(
                master,
                selector,
                new PinnedSessions(master.node().connections()),
                schema,
                new PendingDdl(master, schema, receipts),
                receipts,
                new Suspensions(),
                options.masterIsolation(),
                new PublishedTimes(),
                new TransactionForecast(),
                options.cacheBytes() > 0,
                options.readsBeforeWrite());
    }

    /**
     * Creates the handler of one session's requests.
     *
     * @param caller the thread that runs the session's tasks while it waits for an answer; null for a client of a port
     */
    public ClientConnectionHandler open(ClientIdentity client, @Nullable CallingThread caller) {
        return new ClientConnectionHandler(client, caller, shared);
    }

    /** Returns the state of all nodes. */
    public StatusReport status() {
        return StatusReport.of(server.master(), satellites, server.pins().summary());
    }

    /**
     * Determines whether a request of a session that has ended was committed.
     *
     * @param knownScn an SCN that was published before the request was sent
     * @param to receives COMMITTED, NOT_COMMITTED or UNKNOWN on any thread; must not block
     */
    public void queryOutcome(long sessionId, int sequence, long knownScn, Consumer<OutcomeAnswer> to) {
        shared.outcomes().query(new Receipt(sessionId, sequence), new Scn(knownScn), to);
    }

    /** Returns the latest slow statements, and their number. */
    public SlowStatements slowStatements() {
        return shared.reports().observer().slowStatements();
    }

    public ResultCache.Statistics cacheStatistics() {
        return shared.cache().statistics();
    }

    public List<RoutingClass.Statistics> routingClasses() {
        return shared.limits().classes().statistics();
    }

    /** Replaces the definitions of the routing classes, see {@link RoutingClasses#replace}. */
    public void setRoutingClasses(List<RoutingClass.Definition> definitions) {
        shared.limits().classes().replace(definitions);
    }

    /** Returns the limits of statements that run at the same time. */
    public StatementLimits statementLimits() {
        return shared.limits().statements();
    }

    /** Returns the number of clients that keep a connection to the master. */
    public int pinned() {
        return server.pins().size();
    }

    /** Returns the reasons why a session keeps a connection to the master; nothing if it keeps none. */
    public List<String> pinReasons(long sessionId) {
        return server.pins().reasons(sessionId);
    }

    /**
     * Returns what the result cache has done for single statements, without their literals.
     *
     * @param most number of statements of each kind
     */
    public List<ResultCache.StatementSummary> cachedStatements(int most) {
        return CachedStatements.of(shared.cache(), shared.dialect().reader(), most);
    }

    public long publishedScn() {
        return server.published().value();
    }

    @Override
    public void close() {
        shared.texts().classifier().close();
        shared.texts().rights().close();
        shared.limits().classes().close();
        shared.limits().statements().close();
        shared.reports().administration().close();
        server.pendingDdl().close();
        shared.outcomes().close();
        shared.limits().cancels().close();
        shared.limits().uploads().close();
    }
}
