// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.deploy.launcher.machine.MachineCores;
import io.multimed.model.Bypass;
import io.multimed.model.CommitOrdering;
import io.multimed.model.Freshness;
import io.multimed.model.MaterializedViewSpec;
import io.multimed.model.NodeSpec;
import io.multimed.model.Optimization;
import io.multimed.model.Propagation;
import io.multimed.model.QueueLimits;
import io.multimed.model.ReadsBeforeWrite;
import io.multimed.model.ResultCaching;
import io.multimed.model.Role;
import io.multimed.model.RoutingClassSpec;
import io.multimed.model.Storage;
import io.multimed.model.SystemModel;
import io.multimed.model.Tables;
import io.multimed.model.listen.Listen;
import io.multimed.model.observation.Observation;
import io.multimed.model.value.ByteSize;
import io.multimed.model.value.CoreSet;
import io.multimed.tpcw.schema.Schema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Creates the model of the quickstart: a master on disk and two satellites, each on cores of its own if the machine has
 * enough cores. The middleware listens on a free port of loopback. The satellites follow the optimization level (paper
 * §3.4): full copies on disk (C0), or in memory (C1); at C2, they have indexes for the heaviest queries of TPC-W and
 * store the view of Best Sellers, and the second one holds only the tables of these queries.
 */
public final class QuickstartModel {
    /** Number of satellites, beside one master. */
    private static final int SATELLITES = 2;

    /** The tables and the view of Best Sellers, New Products, Search Results and Product Detail. */
    private static final Set<String> OBJECTS_OF_SEARCHES =
            Set.of("item", "author", "orders", "order_line", Schema.BEST_SELLERS_VIEW);

    /** The class of {@link io.multimed.tpcw.browser.ReportClient}: one report at a time. */
    private static final RoutingClassSpec REPORTS = new RoutingClassSpec(
            "reports", List.of(), Optional.empty(), Duration.ZERO, 1, 1_000, Duration.ofMinutes(10));

    private QuickstartModel() {}

    /**
     * Returns the model.
     *
     * @param engine engine of all nodes
     * @param pool maximum number of concurrent transactions of each node
     * @param level optimization level of the satellites
     * @param cache maximum size of the results that the middleware keeps
     */
    public static SystemModel of(String engine, int pool, Optimization level, ByteSize cache) {
        return new SystemModel(
                Listen.DEFAULT.withPort(0),
                Observation.DEFAULT,
                "tpcw",
                new SystemModel.Reads(
                        Freshness.DEFAULT, ReadsBeforeWrite.SATELLITE, new ResultCaching(cache), List.of(REPORTS)),
                new SystemModel.Commits(
                        CommitOrdering.GROUP, Propagation.TRIGGERS, true, Bypass.REFUSE, QueueLimits.DEFAULT),
                level,
                true,
                nodes(engine, pool, level));
    }

    /** Returns the same with satellites that are the engine's own standbys, at C0 or C1. */
    public static SystemModel withStandbys(String engine, int pool, Optimization level) {
        return new SystemModel(
                Listen.DEFAULT.withPort(0),
                Observation.DEFAULT,
                "tpcw",
                new SystemModel.Reads(Freshness.DEFAULT, ReadsBeforeWrite.MASTER, ResultCaching.OFF, List.of(REPORTS)),
                new SystemModel.Commits(
                        CommitOrdering.GROUP, Propagation.LOG, true, Bypass.CAPTURE, QueueLimits.DEFAULT),
                level,
                true,
                nodes(engine, pool, level));
    }

    private static List<NodeSpec> nodes(String engine, int pool, Optimization level) {
        List<NodeSpec> nodes = new ArrayList<>();
        nodes.add(NodeSpec.embedded("master", Role.MASTER, engine, cores(0), Storage.DISK)
                .withPool(pool));
        for (int i = 1; i <= SATELLITES; i++) {
            NodeSpec satellite = NodeSpec.embedded("satellite-" + i, Role.SATELLITE, engine, cores(i), storage(level))
                    .withPool(pool);
            nodes.add(level == Optimization.C2 ? specialised(satellite, i) : satellite);
        }
        return nodes;
    }

    private static Storage storage(Optimization level) {
        return level == Optimization.C0 ? Storage.DISK : Storage.MEMORY;
    }

    private static NodeSpec specialised(NodeSpec satellite, int number) {
        Tables tables = number == 1 ? Tables.ALL : new Tables(false, OBJECTS_OF_SEARCHES);
        MaterializedViewSpec bestSellers =
                new MaterializedViewSpec(Schema.BEST_SELLERS_VIEW, List.of(Schema.BEST_SELLERS_COLUMNS));
        return satellite.withContent(
                new NodeSpec.Content(tables, Schema.coveringIndexes(satellite.engine()), List.of(bestSellers)));
    }

    /**
     * Returns the plain engine for the comparison: one node with all cores and the memory of the three nodes together.
     */
    public static NodeSpec plain(String engine, int connections) {
        return NodeSpec.embedded("plain", Role.MASTER, engine, CoreSet.ALL, Storage.DISK)
                .withPool(connections)
                .withMemory(ByteSize.megabytes(3 * NodeSpec.DEFAULT_MEMORY.toMegabytes()));
    }

    /**
     * Returns an equal share of the cores for each node. On a machine with fewer cores than nodes, each node has all
     * cores: otherwise the core of the master would be the bottleneck of updates while another core is idle.
     */
    private static CoreSet cores(int node) {
        int cores = Runtime.getRuntime().availableProcessors();
        int share = cores / (SATELLITES + 1);
        if (share == 0) {
            return CoreSet.ALL;
        }
        return MachineCores.at(CoreSet.parse("%d-%d".formatted(node * share, (node + 1) * share - 1)));
    }

    /** Returns whether nodes have to share cores on this machine. */
    public static boolean sharesCores() {
        return Runtime.getRuntime().availableProcessors() < SATELLITES + 1;
    }
}
