// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import io.multimed.server.communication.ConnectedClient;
import io.multimed.server.dispatcher.administration.StatusReport;
import io.multimed.server.dispatcher.administration.StatusReport.NodeStatus;
import io.multimed.server.dispatcher.admission.RoutingClass;
import io.multimed.server.dispatcher.cache.ResultCache;
import io.multimed.server.monitoring.MonitoredServer;
import io.multimed.server.node.EventLog;
import io.multimed.server.observation.Phase;
import io.multimed.server.observation.StatementReport;
import io.multimed.server.propagation.commit.CommitCounts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the page shows, in the form in which it is sent. Texts of statements, and the names in them, are for
 * administrators only. Users whose statements run as an engine role see no texts that may contain names of tables.
 *
 * @param now time by {@link System#currentTimeMillis}
 * @param started when the samples began: samples of an earlier middleware have other numbers
 * @param processors number of processors of this machine
 * @param reasons texts of the reasons in samples, by name
 * @param errors errors since the start by SQLState
 * @param detours functions, tables and settings for which statements ran on the master; only for administrators
 * @param cachedStatements only for administrators
 * @param slow the latest slow statements, without literals; only for administrators
 */
record DashboardState(
        long now,
        long started,
        String database,
        String engine,
        int processors,
        long scn,
        List<Problem> problems,
        List<NodeStatus> nodes,
        Clients clients,
        Memory memory,
        int freshnessWaiting,
        CommitCounts commits,
        ResultCache.Statistics cache,
        List<ResultCache.StatementSummary> cachedStatements,
        List<SlowStatement> slow,
        List<RoutingClass.Statistics> classes,
        Map<String, String> reasons,
        List<Traffic.DetourCount> detours,
        Map<String, Long> errors,
        List<EventLog.Event> events,
        List<Actions.Job> jobs,
        List<Sample> samples) {
    private static final int MAX_CLIENTS = 50;
    private static final int MAX_STATEMENTS = 5;
    private static final int MAX_SLOW = 20;
    private static final int MAX_DETOURS = 10;

    /** @param shown some of the clients, those that matter most first */
    record Clients(int count, int most, int pinned, List<ConnectedClient> shown) {}

    /** @param phases milliseconds of each phase that has taken time */
    record SlowStatement(
            long begun,
            String user,
            String statement,
            String node,
            String route,
            String sqlState,
            double millis,
            Map<String, Double> phases) {
        private static SlowStatement of(StatementReport report) {
            Map<String, Double> phases = new LinkedHashMap<>();
            for (Phase phase : Phase.values()) {
                if (report.millis(phase) > 0) {
                    phases.put(phase.label(), report.millis(phase));
                }
            }
            return new SlowStatement(
                    report.begun().toEpochMilli(),
                    report.user(),
                    report.statement(),
                    report.node(),
                    report.route(),
                    report.sqlState(),
                    report.millis(),
                    phases);
        }

        private static List<SlowStatement> latest(MonitoredServer server) {
            return server.observer().slowStatements().latest().stream()
                    .limit(MAX_SLOW)
                    .map(SlowStatement::of)
                    .toList();
        }
    }

    /** Memory for requests and results in bytes. */
    record Memory(long used, long most) {}

    /** @param after number of the last sample that the browser has */
    static DashboardState of(DashboardSources sources, Sampler sampler, Actions actions, String user, long after) {
        MonitoredServer server = sources.server();
        boolean administrator = sources.users().isAdministrator(user);
        boolean names = sources.users().seesAllNames(user);
        StatusReport all = server.status().get();
        List<NodeStatus> nodes = (names ? all : all.withoutNames()).nodes();
        return new DashboardState(
                System.currentTimeMillis(),
                sampler.started(),
                sources.database(),
                sources.engine(),
                Runtime.getRuntime().availableProcessors(),
                server.commits().publishedScn().getAsLong(),
                Problem.of(server, nodes),
                nodes,
                new Clients(
                        server.clients().count().getAsInt(),
                        server.clients().most().getAsInt(),
                        server.clients().pinned().getAsInt(),
                        sources.clients().apply(MAX_CLIENTS)),
                new Memory(server.memory().taken(), server.memory().most()),
                server.reads().freshnessWaiting().getAsInt(),
                server.commits().counts().get(),
                server.reads().cache().get(),
                administrator ? sources.cachedStatements().apply(MAX_STATEMENTS) : List.of(),
                administrator ? SlowStatement.latest(server) : List.of(),
                server.reads().routingClasses().get(),
                Traffic.reasons(),
                administrator ? sources.traffic().detours(MAX_DETOURS) : List.of(),
                sources.traffic().errors(),
                names ? sources.events().latest() : List.of(),
                names ? actions.latest() : List.of(),
                sampler.after(after));
    }
}
