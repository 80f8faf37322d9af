// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.engine.satellite.MaterializedView;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.propagation.commit.Master;
import io.multimed.server.propagation.replication.ApplierStatus;
import io.multimed.server.propagation.replication.Satellite;
import io.multimed.server.propagation.replication.Satellites;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The state of all nodes: the answer to SHOW MULTIMED STATUS, and, for views, to SHOW MULTIMED VIEWS. */
public record StatusReport(List<NodeStatus> nodes, List<ViewStatus> views) {
    /** Stands for the trouble of a node, which may contain names and texts of errors. */
    private static final String HIDDEN = "an administrator sees the reason";

    /**
     * The state of one node.
     *
     * @param applied SCN up to which the node shows all commits
     * @param lsn the same as a position in the engine's log, in the notation of the engine; null if SCNs are none
     * @param lagScns number of published SCNs that the node has not applied yet
     * @param lagMillis waiting time of the oldest WriteSet that the node has not applied yet
     * @param active number of transactions that run on the node
     * @param waiting number of requests that wait for a connection to the node
     * @param sharedReads number of reads, among {@code reads}, that ran together with others in one message
     * @param pinned number of clients that keep a connection of the node, and the reasons; empty if there are none
     */
    public record NodeStatus(
            String name,
            String role,
            String state,
            String cores,
            long applied,
            @Nullable String lsn,
            long lagScns,
            double lagMillis,
            int active,
            int waiting,
            int connections,
            long reads,
            long sharedReads,
            long updates,
            String pinned,
            ApplierStatus applier,
            @Nullable String trouble) {
        private NodeStatus withoutNames() {
            return new NodeStatus(
                    name,
                    role,
                    state,
                    cores,
                    applied,
                    lsn,
                    lagScns,
                    lagMillis,
                    active,
                    waiting,
                    connections,
                    reads,
                    sharedReads,
                    updates,
                    pinned,
                    applier,
                    trouble == null ? null : HIDDEN);
        }
    }

    /**
     * The state of a materialized view of a satellite.
     *
     * @param maintenance incremental: rows with changed keys are computed again; complete: all rows are; none: the view
     *     is an ordinary one now
     * @param refreshes number of transactions of the applier that have computed rows again
     * @param averageMillis the average time that such a transaction has needed for this
     */
    public record ViewStatus(String satellite, String view, String maintenance, long refreshes, double averageMillis) {}

    public static StatusReport of(Master master, Satellites satellites, String pinned) {
        long published = master.publisher().published().value();
        List<NodeStatus> nodes = new ArrayList<>();
        nodes.add(status(master.node(), "master", published, published, 0, pinned, ApplierStatus.NONE));
        for (Satellite satellite : satellites.all()) {
            nodes.add(status(
                    satellite.node(),
                    "satellite",
                    satellite.applied().value(),
                    published,
                    satellite.lagNanos(),
                    "",
                    satellite.applier()));
        }
        return new StatusReport(nodes, views(satellites));
    }

    private static List<ViewStatus> views(Satellites satellites) {
        List<ViewStatus> views = new ArrayList<>();
        for (Satellite satellite : satellites.all()) {
            List<MaterializedView.Maintenance> stored = satellite.materialized();
            for (MaterializedView view : satellite.views()) {
                views.add(stored.stream()
                        .filter(each -> each.view().equals(view.name()))
                        .findFirst()
                        .map(each -> new ViewStatus(
                                satellite.node().name(),
                                view.name(),
                                each.isIncremental() ? "incremental" : "complete",
                                each.refreshes(),
                                each.averageMillis()))
                        .orElse(new ViewStatus(satellite.node().name(), view.name(), "none", 0, 0)));
            }
        }
        return views;
    }

    private static NodeStatus status(
            ComputationalNode node,
            String role,
            long applied,
            long published,
            long lagNanos,
            String pinned,
            ApplierStatus applier) {
        return new NodeStatus(
                node.name(),
                role,
                node.state().name(),
                node.cores(),
                applied,
                node.engine().hasStandbys() ? node.engine().display(new Scn(applied)) : null,
                Math.max(0, published - applied),
                lagNanos / 1e6,
                node.active(),
                node.waitingRequests(),
                node.connections(),
                node.reads().sum(),
                node.sharedReads().sum(),
                node.updates().sum(),
                pinned,
                applier,
                node.trouble());
    }

    /** Returns the same for viewers who may not see all names. */
    public StatusReport withoutNames() {
        return new StatusReport(nodes.stream().map(NodeStatus::withoutNames).toList(), List.of());
    }

    /** Returns a result set with one row per node. */
    Executed asResult(SessionStatus status) {
        ResultTable table = new ResultTable(
                ResultTable.text("node"),
                ResultTable.text("role"),
                ResultTable.text("state"),
                ResultTable.text("cores"),
                ResultTable.number("applied_scn"),
                ResultTable.number("lag_scns"),
                ResultTable.fraction("lag_ms"),
                ResultTable.smallNumber("active"),
                ResultTable.smallNumber("connections"),
                ResultTable.number("reads"),
                ResultTable.number("shared_reads"),
                ResultTable.number("updates"),
                ResultTable.text("pinned"),
                ResultTable.text("trouble"),
                ResultTable.text("applied_lsn"));
        for (NodeStatus node : nodes) {
            table.row(
                    node.name,
                    node.role,
                    node.state,
                    node.cores,
                    node.applied,
                    node.lagScns,
                    node.lagMillis,
                    node.active,
                    node.connections,
                    node.reads,
                    node.sharedReads,
                    node.updates,
                    node.pinned,
                    node.trouble,
                    node.lsn);
        }
        return table.asResult(status);
    }
}
