// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.change;

import io.multimed.deploy.command.DatabaseOptions;
import io.multimed.deploy.terminal.Progress;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Restarts engines of a running system, one after the other, without an error for clients. Ends at the first engine
 * that cannot be restarted.
 */
@Command(
        name = "restart",
        description = {
            "Restart engines that Multimed has started, one after the other, without an error for clients.",
            "A satellite is drained, and comes back when it has caught up; the other nodes answer reads meanwhile. On the master, new transactions wait,"
                    + " and running ones may end; if they take too long, the restart is given up."
        },
        footer = {
            "  multimed restart satellite-1",
            "  multimed restart --all",
            "  multimed restart --wait 60 --force master"
        },
        mixinStandardHelpOptions = true)
public final class RestartCommand implements Callable<Integer> {
    private static final String MASTER = "master";

    @Spec
    private CommandSpec spec;

    @Mixin
    private DatabaseOptions database;

    @Option(names = "--all", description = "All nodes: the satellites, then the master.")
    private boolean all;

    @Option(
            names = "--wait",
            description =
                    "Seconds to wait for running transactions; then the restart is given up. Default: 60 for a satellite, 10 for the master.")
    private Optional<Integer> seconds = Optional.empty();

    @Option(
            names = "--force",
            description = "Abort transactions that still run after --wait, instead of giving the restart up.")
    private boolean force;

    @Parameters(arity = "0..*", paramLabel = "NODE", description = "The nodes to restart, in this order.")
    private List<String> nodes = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public RestartCommand() {}

    @Override
    public Integer call() throws Exception {
        if (all == !nodes.isEmpty()) {
            throw new IllegalArgumentException("name the nodes to restart, or --all");
        }
        int wait = seconds.orElse(0);
        if (wait < 0 || wait > TimeUnit.DAYS.toSeconds(1)) {
            throw new IllegalArgumentException("--wait must be from 0 to 86400 seconds");
        }
        Administrator administrator = new Administrator(database.single());
        Map<String, String> roles = administrator.roles();
        List<String> chosen = all ? satellitesFirst(roles) : nodes;
        for (String node : chosen) {
            if (!roles.containsKey(node)) {
                throw new IllegalArgumentException("node \"%s\" does not exist; the nodes are: %s"
                        .formatted(node, String.join(", ", roles.keySet())));
            }
        }
        for (String node : chosen) {
            restart(administrator, node, MASTER.equals(roles.get(node)));
        }
        return 0;
    }

    private static List<String> satellitesFirst(Map<String, String> roles) {
        List<String> order = new ArrayList<>(roles.keySet());
        order.removeIf(node -> MASTER.equals(roles.get(node)));
        roles.keySet().stream().filter(node -> MASTER.equals(roles.get(node))).forEach(order::add);
        return order;
    }

    private void restart(Administrator administrator, String node, boolean isMaster) throws SQLException {
        Progress progress = new Progress(spec.commandLine().getOut());
        progress.say("restarting " + node);
        long begun = System.nanoTime();
        String options = seconds.map(wait -> " WAIT " + wait).orElse("") + (force ? " FORCE" : "");
        administrator.run(
                isMaster
                        ? "ALTER MULTIMED MASTER RESTART" + options
                        : "ALTER MULTIMED SATELLITE \"%s\" RESTART%s".formatted(node, options));
        progress.say(String.format(
                Locale.ROOT, "%s was restarted, and serves; %.1f s", node, (System.nanoTime() - begun) / 1e9));
    }
}
