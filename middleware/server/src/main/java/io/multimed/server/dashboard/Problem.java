// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import io.multimed.server.dispatcher.administration.StatusReport.NodeStatus;
import io.multimed.server.monitoring.Health;
import io.multimed.server.monitoring.MonitoredServer;
import io.multimed.server.node.EventLog.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Something that an operator should know or change.
 *
 * @param severity ERROR if clients receive errors
 */
record Problem(Severity severity, String text, String remedy) {
    private static final double MAX_LAG_MILLIS = 5_000;
    private static final double NEARLY_FULL = 0.9;

    /** Returns all problems, the worst first; none if everything is as the System Model describes it. */
    static List<Problem> of(MonitoredServer server, List<NodeStatus> nodes) {
        List<Problem> problems = new ArrayList<>();
        new Health(server)
                .whyNotReady()
                .ifPresent(why -> problems.add(error(
                        why, "Updates fail until this is solved. See the log of the middleware and of the master.")));
        satellites(nodes, problems);
        nodes.forEach(node -> connections(node, problems));
        share(
                server.clients().count().getAsInt(),
                server.clients().most().getAsInt(),
                "clients are connected, of at most",
                "Raise listen.max-clients; further clients are refused (53300).",
                problems);
        share(
                server.memory().taken(),
                server.memory().most(),
                "bytes of the memory for requests and results are in use, of",
                "Give the middleware more memory (-Xmx); further requests wait, and fail (53200).",
                problems);
        problems.sort(Comparator.comparing(Problem::severity).reversed());
        return problems;
    }

    private static void satellites(List<NodeStatus> nodes, List<Problem> problems) {
        List<NodeStatus> satellites =
                nodes.stream().filter(node -> node.role().equals("satellite")).toList();
        if (!satellites.isEmpty()
                && satellites.stream().noneMatch(node -> node.state().equals("ONLINE"))) {
            problems.add(warning("no satellite is online", "The master runs all reads."));
        }
        satellites.forEach(node -> satellite(node, problems));
    }

    private static void satellite(NodeStatus node, List<Problem> problems) {
        String trouble = node.trouble();
        String why = trouble == null ? "" : ": " + trouble;
        if (node.state().startsWith("DRAIN")) {
            problems.add(new Problem(
                    Severity.INFO, node.name() + " is drained and runs no reads", "Resume it when the work is done."));
        } else if (node.state().equals("SEEDING") || node.state().equals("RECOVERING")) {
            problems.add(new Problem(
                    Severity.INFO,
                    "%s is %s%s".formatted(node.name(), node.state(), why),
                    "It comes online by itself."));
        } else if (!node.state().equals("ONLINE")) {
            problems.add(warning(
                    "%s is %s%s".formatted(node.name(), node.state(), why),
                    "Other nodes run its reads. Multimed tries to reach it again."));
        } else if (trouble != null) {
            problems.add(warning(node.name() + why, "Change the definition of the satellite."));
        } else if (node.lagMillis() > MAX_LAG_MILLIS) {
            problems.add(warning(
                    "%s is %.0f s behind".formatted(node.name(), node.lagMillis() / 1_000),
                    "Reads wait for other satellites, or run on the master."));
        }
    }

    private static void connections(NodeStatus node, List<Problem> problems) {
        if (node.waiting() > 0 && node.active() >= node.connections()) {
            problems.add(warning(
                    "all %d connections to %s are in use, and %d requests wait"
                            .formatted(node.connections(), node.name(), node.waiting()),
                    "Raise pool of the node, or shorten the transactions."));
        }
    }

    private static void share(long used, long most, String what, String remedy, List<Problem> problems) {
        if (used > most * NEARLY_FULL) {
            problems.add(warning("%d %s %d".formatted(used, what, most), remedy));
        }
    }

    private static Problem error(String text, String remedy) {
        return new Problem(Severity.ERROR, text, remedy);
    }

    private static Problem warning(String text, String remedy) {
        return new Problem(Severity.WARNING, text, remedy);
    }
}
