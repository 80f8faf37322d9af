// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.RoutingHints;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.administration.ResultTable;
import io.multimed.server.dispatcher.administration.StatusReport;
import io.multimed.server.dispatcher.administration.StatusReport.NodeStatus;
import io.multimed.server.dispatcher.cache.CacheableRead;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.routing.ReadTarget;
import io.multimed.server.dispatcher.routing.SatelliteSelector;
import io.multimed.server.dispatcher.routing.StatementPlan;
import java.sql.SQLException;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The answer to EXPLAIN ROUTE: where a statement would run now, and why. Executes and changes nothing. */
public final class RouteExplanation {
    private final ServerContext server;
    private final StatusReport report;
    private final StatementTask task;
    private final PlanText plan;
    private final boolean prepared;
    private final @Nullable CacheableRead cacheable;
    private final ResultTable table = new ResultTable(ResultTable.text("item"), ResultTable.text("value"));

    /**
     * @param report the state of all nodes
     * @param task the statement that is explained
     * @param plan of the statement in the present state of the session
     * @param prepared whether the statement is prepared
     * @param cacheable null if the result must not be kept, also of a prepared statement
     */
    public RouteExplanation(
            ServerContext server,
            StatusReport report,
            StatementTask task,
            StatementPlan plan,
            boolean prepared,
            @Nullable CacheableRead cacheable) {
        this.server = server;
        this.report = report;
        this.task = task;
        this.plan = PlanText.of(plan);
        this.prepared = prepared;
        this.cacheable = cacheable;
    }

    public Executed asResult(SessionStatus status) {
        Classification classification = task.classification();
        table.row("classification", classification.kind().name());
        add("decided by", classification.why());
        table.row("runs", runs());
        add("tables", String.join(", ", new TreeSet<>(classification.tables())));
        if (!classification.hints().equals(RoutingHints.NONE)) {
            table.row("hints", hints(classification.hints()));
        }
        if (plan.isOnSatellite() && hintPermitsSatellite()) {
            table.row("routing class", task.className());
            addNodes();
            addCache();
        }
        return table.asResult(status);
    }

    /** Returns where the statement runs: a hint may name the master, or a node that does not exist. */
    private String runs() {
        String node = task.classification().hints().node();
        if (!plan.isOnSatellite() || hintPermitsSatellite() || node == null) {
            return plan.toString();
        }
        if (isMaster(node)) {
            return PlanText.onMaster(Route.HINT);
        }
        SQLException refusal = SatelliteExecutor.unknownNode(node);
        return PlanText.refused(String.valueOf(refusal.getMessage()), refusal.getSQLState());
    }

    private boolean hintPermitsSatellite() {
        String node = task.classification().hints().node();
        return node == null || (server.selector().knows(node) && !isMaster(node));
    }

    private boolean isMaster(String node) {
        return server.master().node().name().equals(node);
    }

    private void add(String item, String value) {
        if (!value.isEmpty()) {
            table.row(item, value);
        }
    }

    private static String hints(RoutingHints hints) {
        StringBuilder text = new StringBuilder();
        text.append(hints.master() ? "master " : "");
        text.append(hints.node() == null ? "" : "node=" + hints.node() + " ");
        text.append(hints.routingClass() == null ? "" : "class=" + hints.routingClass() + " ");
        text.append(
                hints.freshness() == null
                        ? ""
                        : "freshness=" + hints.freshness().toMillis() + "ms ");
        text.append(hints.cached() ? "" : "cache=off");
        return text.toString().strip();
    }

    private void addNodes() {
        ReadPosition position = server.readPosition(task);
        List<SatelliteSelector.Candidate> candidates = server.selector().candidates(ReadTarget.of(task));
        String chosen = "";
        double least = Double.MAX_VALUE;
        table.row("needed SCN", needed(position));
        for (SatelliteSelector.Candidate each : candidates) {
            boolean fresh = each.qualifies() && !position.acceptable().isAfter(each.applied());
            table.row("node " + each.name(), describe(each, position.needed()));
            if (fresh && each.load() < least) {
                least = each.load();
                chosen = each.name();
            }
        }
        if (candidates.stream().noneMatch(SatelliteSelector.Candidate::qualifies)) {
            chosen = server.master().node().name();
        }
        table.row("chosen node", chosen.isEmpty() ? "none at present" : chosen);
        table.row("expected wait", chosen.isEmpty() ? wait(candidates) : "0 ms");
    }

    private String needed(ReadPosition position) {
        String needed = "%s of %s published".formatted(display(position.needed()), display(position.includes()));
        return position.acceptable().equals(position.needed())
                ? needed
                : "%s, %s is acceptable".formatted(needed, display(position.acceptable()));
    }

    private String display(Scn scn) {
        return server.master().node().engine().display(scn);
    }

    private String describe(SatelliteSelector.Candidate candidate, Scn needed) {
        String fit = candidate.obstacle().isEmpty()
                ? needed.isAfter(candidate.applied()) ? "too far behind" : "fresh enough"
                : candidate.obstacle();
        return "%s; applied SCN %s, %.1f ms behind, load %.2f"
                .formatted(fit, display(candidate.applied()), lag(candidate.name()), candidate.load());
    }

    private double lag(String node) {
        return report.nodes().stream()
                .filter(each -> each.name().equals(node))
                .mapToDouble(NodeStatus::lagMillis)
                .findFirst()
                .orElse(0);
    }

    private String wait(List<SatelliteSelector.Candidate> candidates) {
        return "about %.1f ms, until a satellite has caught up"
                .formatted(candidates.stream()
                        .filter(SatelliteSelector.Candidate::qualifies)
                        .mapToDouble(each -> lag(each.name()))
                        .min()
                        .orElse(0));
    }

    private void addCache() {
        if (cacheable == null) {
            table.row(
                    "result cache", "not used (off, bypassed at present, or the result may depend on more than rows)");
        } else {
            table.row(
                    "result cache",
                    prepared ? cacheable.state() : "for prepared statements only: " + cacheable.state());
            cacheable.dependencies().forEach(each -> table.row("depends on", each));
        }
    }
}
