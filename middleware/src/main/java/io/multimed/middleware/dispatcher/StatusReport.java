package io.multimed.middleware.dispatcher;

import io.multimed.middleware.node.ComputationalNode;
import io.multimed.middleware.propagation.Master;
import io.multimed.middleware.propagation.Satellite;
import io.multimed.protocol.Column;
import io.multimed.protocol.Executed;
import io.multimed.protocol.Outcome;
import io.multimed.protocol.ResultSetHead;
import io.multimed.protocol.Rows;
import io.multimed.protocol.SessionStatus;
import io.multimed.protocol.ValueCodec;
import io.multimed.protocol.WireWriter;
import java.sql.ResultSetMetaData;
import java.sql.Types;
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
            @Nullable String trouble) {}

    static StatusReport of(Master master, List<Satellite> satellites) {
        long published = master.publisher().published().value();
        List<NodeStatus> nodes = new ArrayList<>();
        nodes.add(status(master.node(), "master", published, published, 0));
        for (Satellite satellite : satellites) {
            nodes.add(status(
                    satellite.node(), "satellite", satellite.applied().value(), published, satellite.lagNanos()));
        }
        return new StatusReport(nodes);
    }

    private static NodeStatus status(ComputationalNode node, String role, long applied, long published, long lagNanos) {
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
                node.trouble());
    }

    /** As a result set with one row per node. */
    Executed asResult(SessionStatus status) {
        WireWriter out = new WireWriter();
        for (NodeStatus node : nodes) {
            write(node, out);
        }
        Rows rows = new Rows(nodes.size(), true, out.toByteArray());
        return new Executed(
                status, List.of(new Outcome.Rowset(new ResultSetHead(0, false, columns()), rows)), null, List.of());
    }

    private static void write(NodeStatus node, WireWriter out) {
        ValueCodec.write(node.name, out);
        ValueCodec.write(node.role, out);
        ValueCodec.write(node.state, out);
        ValueCodec.write(node.cores, out);
        ValueCodec.write(node.applied, out);
        ValueCodec.write(node.lagScns, out);
        ValueCodec.write(node.lagMillis, out);
        ValueCodec.write(node.active, out);
        ValueCodec.write(node.connections, out);
        ValueCodec.write(node.reads, out);
        ValueCodec.write(node.updates, out);
        ValueCodec.write(node.trouble, out);
    }

    private static List<Column> columns() {
        return List.of(
                text("node"),
                text("role"),
                text("state"),
                text("cores"),
                number("applied_scn"),
                number("lag_scns"),
                column("lag_ms", Types.DOUBLE, "float8", "java.lang.Double"),
                column("active", Types.INTEGER, "int4", "java.lang.Integer"),
                column("connections", Types.INTEGER, "int4", "java.lang.Integer"),
                number("reads"),
                number("updates"),
                text("trouble"));
    }

    private static Column text(String name) {
        return column(name, Types.VARCHAR, "text", "java.lang.String");
    }

    private static Column number(String name) {
        return column(name, Types.BIGINT, "int8", "java.lang.Long");
    }

    private static Column column(String name, int type, String typeName, String className) {
        boolean signed = type != Types.VARCHAR;
        return new Column(
                name,
                name,
                type,
                typeName,
                className,
                0,
                0,
                20,
                ResultSetMetaData.columnNullable,
                signed,
                false,
                !signed);
    }
}
