package io.multimed.server.dispatcher;

import io.multimed.protocol.Executed;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.propagation.Master;
import io.multimed.server.propagation.Satellite;
import io.multimed.server.propagation.Satellites;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the nodes stand: the answer to the statement SHOW MULTIMED STATUS. */
public record StatusReport(List<NodeStatus> nodes) {
    /**
     * One node.
     *
     * @param applied the SCN that it shows
     * @param lagScns how many SCNs it is behind
     * @param lagMillis how long the oldest WriteSet has been waiting for it
     * @param active transactions that run on it
     * @param pinned how many clients keep a connection here for themselves, and why; empty if none
     */
    public record NodeStatus(
            String name,
            String role,
            String state,
            String cores,
            long applied,
            long lagScns,
            double lagMillis,
            int active,
            int connections,
            long reads,
            long updates,
            String pinned,
            @Nullable String trouble) {}

    static StatusReport of(Master master, Satellites satellites, String pinned) {
        long published = master.publisher().published().value();
        List<NodeStatus> nodes = new ArrayList<>();
        nodes.add(status(master.node(), "master", published, published, 0, pinned));
        for (Satellite satellite : satellites.all()) {
            nodes.add(status(
                    satellite.node(), "satellite", satellite.applied().value(), published, satellite.lagNanos(), ""));
        }
        return new StatusReport(nodes);
    }

    private static NodeStatus status(
            ComputationalNode node, String role, long applied, long published, long lagNanos, String pinned) {
        return new NodeStatus(
                node.name(),
                role,
                node.state().name(),
                node.cores(),
                applied,
                Math.max(0, published - applied),
                lagNanos / 1e6,
                node.active(),
                node.connections(),
                node.reads().sum(),
                node.updates().sum(),
                pinned,
                node.trouble());
    }

    /** As a result set with one row per node. */
    Executed asResult(SessionStatus status) {
        AnswerTable table = new AnswerTable(
                AnswerTable.text("node"),
                AnswerTable.text("role"),
                AnswerTable.text("state"),
                AnswerTable.text("cores"),
                AnswerTable.number("applied_scn"),
                AnswerTable.number("lag_scns"),
                AnswerTable.fraction("lag_ms"),
                AnswerTable.smallNumber("active"),
                AnswerTable.smallNumber("connections"),
                AnswerTable.number("reads"),
                AnswerTable.number("updates"),
                AnswerTable.text("pinned"),
                AnswerTable.text("trouble"));
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
                    node.updates,
                    node.pinned,
                    node.trouble);
        }
        return table.asResult(status);
    }
}
