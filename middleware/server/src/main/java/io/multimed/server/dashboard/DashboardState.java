// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
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
 */
record DashboardState(
        @JsonUnwrapped Middleware middleware,
        @JsonUnwrapped Present present,
        @JsonUnwrapped Statements statements,
        @JsonUnwrapped Past past) {
    private static final int MAX_CLIENTS = 50;
    private static final int MAX_STATEMENTS = 5;
    private static final int MAX_SLOW = 20;
    private static final int MAX_DETOURS = 10;

    /**
     * The process.
     *
     * @param now time by {@link System#currentTimeMillis}
     * @param started when the samples began: samples of an earlier middleware have other numbers
     * @param processors number of processors of this machine
     */
    record Middleware(long now, long started, String database, String engine, int processors) {
        private static Middleware of(DashboardSources sources, Sampler sampler) {
            return new Middleware(
                    System.currentTimeMillis(),
                    sampler.started(),
                    sources.database(),
                    sources.engine(),
                    Runtime.getRuntime().availableProcessors());
        }
    }

    /** Nodes, clients and queues at this time. */
    record Present(
            long scn,
            List<Problem> problems,
            List<NodeStatus> nodes,
            Clients clients,
            Memory memory,
            int freshnessWaiting,
            List<RoutingClass.Statistics> classes) {
        private static Present of(DashboardSources sources, boolean names) {
            MonitoredServer server = sources.server();
            StatusReport all = server.status().get();
            List<NodeStatus> nodes = (names ? all : all.withoutNames()).nodes();
            return new Present(
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
                    server.reads().routingClasses().get());
        }
    }

    /**
     * Statements since the start.
     *
     * @param cachedStatements only for administrators
     * @param slow the latest slow statements, without literals; only for administrators
     * @param reasons texts of the reasons in samples, by name
     * @param detours functions, tables and settings for which statements ran on the master; only for administrators
     * @param errors by SQLState
     */
    record Statements(
            CommitCounts commits,
            ResultCache.Statistics cache,
            List<ResultCache.StatementSummary> cachedStatements,
            List<SlowStatement> slow,
            Map<String, String> reasons,
            List<Traffic.DetourCount> detours,
            Map<String, Long> errors) {
        private static Statements of(DashboardSources sources, boolean administrator) {
            MonitoredServer server = sources.server();
            return new Statements(
                    server.commits().counts().get(),
                    server.reads().cache().get(),
                    administrator ? sources.cachedStatements().apply(MAX_STATEMENTS) : List.of(),
                    administrator ? SlowStatement.latest(server) : List.of(),
                    Traffic.reasons(),
                    administrator ? sources.traffic().detours(MAX_DETOURS) : List.of(),
                    sources.traffic().errors());
        }
    }

    /** What has happened, the latest last. */
    record Past(List<EventLog.Event> events, List<Actions.Job> jobs, List<Sample> samples) {}

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
        boolean names = sources.users().seesAllNames(user);
        return new DashboardState(
                Middleware.of(sources, sampler),
                Present.of(sources, names),
                Statements.of(sources, sources.users().isAdministrator(user)),
                new Past(
                        names ? sources.events().latest() : List.of(),
                        names ? actions.latest() : List.of(),
                        sampler.after(after)));
    }
}
