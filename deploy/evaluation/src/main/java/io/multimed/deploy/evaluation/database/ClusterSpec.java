// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.database;

import io.multimed.deploy.launcher.machine.CorePinning;
import io.multimed.deploy.launcher.machine.MachineCores;
import io.multimed.deploy.launcher.machine.Ports;
import io.multimed.model.Optimization;
import io.multimed.model.value.CoreSet;
import io.multimed.tpcw.schema.Schema;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A System Model of the evaluation. Equal specifications describe equal systems.
 *
 * @param cores number of cores, from the first one, that all processes of the system share, or divide among them
 * @param satellites number of satellites, beside one master
 * @param clients connections that the middleware accepts
 * @param masterSettings settings of the master's engine, in YAML, such as {@code fsync: off}; may be empty
 * @param held tables that all satellites hold, separated by commas; empty for those of the level
 * @param limitsReports whether one report runs at a time; otherwise all clients can run reports at the same time
 */
public record ClusterSpec(
        String engine,
        Level level,
        int cores,
        int satellites,
        int clients,
        String masterSettings,
        String held,
        boolean limitsReports) {
    /** Memory of a node. */
    public static final int MEGABYTES = 512;

    /** Connections of the middleware to a node. */
    public static final int POOL = 16;

    private static final int SPARE_CLIENTS = 100;
    private static final int USUAL_SATELLITES = 2;
    private static final String SEARCHES = "item, author, orders, order_line, " + Schema.BEST_SELLERS_VIEW;

    /** Creates a system that runs one report at a time. */
    public ClusterSpec(
            String engine, Level level, int cores, int satellites, int clients, String masterSettings, String held) {
        this(engine, level, cores, satellites, clients, masterSettings, held, true);
    }

    /** Returns a system without settings of the engine. */
    public static ClusterSpec of(String engine, Level level, int cores, int satellites, int clients) {
        return new ClusterSpec(engine, level, cores, satellites, clients, "", "");
    }

    /** Returns the same system without a limit of the reports that run at the same time. */
    public ClusterSpec withoutLimitOfReports() {
        return new ClusterSpec(engine, level, cores, satellites, clients, masterSettings, held, false);
    }

    /** Returns the same system with satellites that hold some tables only. */
    public ClusterSpec holding(String tables) {
        return new ClusterSpec(engine, level, cores, satellites, clients, masterSettings, tables, limitsReports);
    }

    /** Returns the name for plots, such as {@code Multimed C1 #S=2}. */
    public String title() {
        return "Multimed %s #S=%d%s"
                .formatted(level.title(), satellites, limitsReports ? "" : " without a limit of reports");
    }

    /** Returns the name of a folder for the data of the master, which is the same for any number of satellites. */
    String folder() {
        return "%s-%s%s"
                .formatted(
                        level.name(),
                        Integer.toHexString(masterSettings.hashCode()),
                        limitsReports ? "" : "-unlimited");
    }

    /** Returns the System Model, with ports that are free now. */
    String yaml() {
        StringBuilder yaml = new StringBuilder("""
                engine: %s
                database: tpcw
                listen: {host: 127.0.0.1, port: 0, max-clients: %d}
                optimization: %s
                cache: {size: %dm}
                share-cores: true
                classes:
                - {name: reports, concurrency: %d, queue: 1000, wait: 10m}
                nodes:
                - {name: master, role: master, port: %d, pool: %d, memory: %dm, cores: "%s", settings: {%s}}
                """.formatted(
                engine,
                2 * clients + SPARE_CLIENTS, // all of them may log in at the same moment
                held.isEmpty() ? level.optimization() : Optimization.C2, // the model requires C2 for partial copies
                level.cacheMegabytes(),
                limitsReports ? 1 : clients,
                Ports.free(),
                POOL,
                MEGABYTES,
                machineCoresOf(1),
                masterSettings));
        for (int i = 1; i <= satellites; i++) {
            yaml.append(
                    "- {name: satellite-%d, role: satellite, port: %d, pool: %d, memory: %dm, cores: \"%s\", storage: %s%s}%n"
                            .formatted(
                                    i,
                                    Ports.free(),
                                    POOL,
                                    MEGABYTES,
                                    machineCoresOf(1 + i),
                                    storage(),
                                    specialised(i)));
        }
        return yaml.toString();
    }

    private String storage() {
        return level == Level.C0 ? "disk" : "memory";
    }

    /** At C2, the satellites after the first half hold the tables of the searches and of Best Sellers only. */
    private String specialised(int number) {
        if (!held.isEmpty()) {
            return ", tables: [%s]".formatted(held);
        }
        if (level.optimization() != Optimization.C2) {
            return "";
        }
        String indexes = Schema.coveringIndexes(engine).stream()
                .map(index -> '"' + index + '"')
                .collect(Collectors.joining(", "));
        String tables = number > (satellites + 1) / 2 ? ", tables: [%s]".formatted(SEARCHES) : "";
        return ", indexes: [%s], materialized-views: [{view: %s, indexes: [\"%s\"]}]%s"
                .formatted(indexes, Schema.BEST_SELLERS_VIEW, Schema.BEST_SELLERS_COLUMNS, tables);
    }

    /**
     * Returns the cores of a part of the system: the middleware is part 0, the master 1, and the satellites follow. The
     * parts have all cores; some have one more than others. If there are fewer cores than parts, all parts share all
     * cores. Without satellites, middleware and master have the cores that they have beside {@value #USUAL_SATELLITES}
     * satellites, so that a comparison with such a system shows the satellites only.
     */
    String coresOf(int part) {
        int parts = (satellites == 0 ? USUAL_SATELLITES : satellites) + 2;
        if (cores < parts) {
            return range(0, cores);
        }
        int first = part * cores / parts;
        return range(first, (part + 1) * cores / parts - first);
    }

    /** Returns the numbers that these cores have on this machine. */
    private CoreSet machineCoresOf(int part) {
        return MachineCores.at(CoreSet.parse(coresOf(part)));
    }

    private static String range(int first, int count) {
        return count == 1 ? Integer.toString(first) : "%d-%d".formatted(first, first + count - 1);
    }

    /** Returns the prefix of the middleware's command that binds it to its cores. */
    List<String> prefix() {
        return CorePinning.prefix("middleware", machineCoresOf(0));
    }
}
