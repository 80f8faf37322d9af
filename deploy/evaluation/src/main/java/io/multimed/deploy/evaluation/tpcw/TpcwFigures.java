// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.tpcw;

import io.multimed.deploy.evaluation.database.ClusterSpec;
import io.multimed.deploy.evaluation.database.Contenders.Field;
import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.UnavailableException;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.browser.Pages;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The figures of TPC-W that any engine can show. All texts describe what the paper published on 48 cores, with
 * databases of 2 and 20 GB.
 */
public final class TpcwFigures {
    /** The part of a note about the data. */
    static final String FRESH_DATA =
            "The figure begins with a fresh copy of the data, which all of its points change, in"
                    + " ascending order (after an interruption, the other points begin with another fresh copy); the"
                    + " paper took a fresh copy for each of its runs.";

    /** The part of a note about a plain engine beside Multimed. */
    static final String PLAIN_ENGINE =
            "The plain engine has one session for each client, without a pooler; the middleware"
                    + " has a pool of " + ClusterSpec.POOL
                    + " connections for each node. The plain engine has the memory of all"
                    + " nodes together, " + ClusterSpec.MEGABYTES
                    + " MB for each; in the paper, the parameters for memory"
                    + " were the same for the plain engine and for each node.";

    /** The part of a note about the optimization level C2. */
    static final String INDEXES =
            "At C2, the satellites have indexes and materialized views that the plain engine lacks;"
                    + " docs/performance.md, section 1, also compares with a plain engine that has the indexes.";

    private TpcwFigures() {}

    /** Returns the settings of all fields of a figure: those that differ are lists. */
    static Map<String, String> configuration(List<Field> fields) {
        Map<String, Set<String>> all = new LinkedHashMap<>();
        for (Field field : fields) {
            field.configuration()
                    .forEach((name, setting) -> all.computeIfAbsent(name, any -> new LinkedHashSet<>())
                            .add(setting));
        }
        Map<String, String> joined = new LinkedHashMap<>();
        all.forEach((name, settings) -> joined.put(name, String.join(", ", settings)));
        return joined;
    }

    public static List<Figure> all() {
        List<Figure> figures = new ArrayList<>();
        figures.add(new EngineFigure(
                "fig1a",
                Pages.ALL,
                "One engine, browsing mix",
                "Multimed paper, figure 1(a): the engine becomes slower with more cores, because Best Sellers holds"
                        + " resources for which all other queries wait."));
        figures.add(new EngineFigure(
                "fig1b",
                Pages.WITHOUT_BEST_SELLERS,
                "One engine, browsing mix without Best Sellers",
                "Multimed paper, figure 1(b): without Best Sellers the throughput is almost five times higher, and"
                        + " increases with the number of cores."));
        figures.add(new EngineFigure(
                "fig1c",
                Pages.BEST_SELLERS_ONLY,
                "One engine, Best Sellers only",
                "Multimed paper, figure 1(c), (e): low throughput, which falls with more cores; the time in the spin lock"
                        + " of the shared buffers grows with clients and cores."));
        figures.add(new InterferenceFigure());
        return figures;
    }

    static String name(Mix mix) {
        return mix.name().toLowerCase(Locale.ROOT);
    }

    /** @throws UnavailableException if the engine is not among those that are measured */
    static void check(String engine, Scope scope) throws UnavailableException {
        if (!scope.engines().contains(engine)) {
            throw new UnavailableException(
                    "the engine %s is not measured: this machine cannot start it, or --engines omits it"
                            .formatted(engine));
        }
    }
}
