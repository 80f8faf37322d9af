// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.observation;

import io.multimed.engine.sql.SqlReader;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.session.TraceContext;
import io.multimed.protocol.wire.MessageType;
import io.multimed.server.observation.PhaseClock.Segment;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A statement that has been answered, and is to be reported.
 *
 * @param begun when its request was handled
 * @param sql the first part of its text, as the client wrote it
 * @param status of the session after the statement
 * @param sqlState of the error; empty after a success
 * @param nanos time until the answer
 * @param slow whether the statement is to be kept as a slow one
 * @param traced whether the statement is to be traced
 * @param operation the operation of the application to which it belongs; null if unknown
 */
record FinishedStatement(
        Instant begun,
        String user,
        String address,
        MessageType request,
        String sql,
        SessionStatus status,
        String sqlState,
        long nanos,
        List<Segment> segments,
        boolean slow,
        boolean traced,
        @Nullable TraceContext operation) {
    /** @param nodes names of the nodes; the index is a node's ordinal */
    StatementReport report(SqlReader reader, List<String> nodes) {
        String node = node(nodes);
        return new StatementReport(
                begun,
                user,
                address,
                request.name().toLowerCase(Locale.ROOT),
                StatementText.withoutLiterals(reader, sql),
                node,
                node.isEmpty() ? "" : status.route().toString(), // otherwise it is that of an earlier statement
                sqlState,
                nanos,
                StatementReport.sums(segments));
    }

    private String node(List<String> nodes) {
        if (status.route().reason() == Route.Reason.CACHED) {
            return "cache";
        }
        return status.node() >= 0 && status.node() < nodes.size() ? nodes.get(status.node()) : "";
    }
}
