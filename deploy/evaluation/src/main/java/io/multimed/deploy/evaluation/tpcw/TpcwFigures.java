package io.multimed.deploy.evaluation.tpcw;

import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.UnavailableException;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.browser.Pages;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The figures of TPC-W that any engine can show. All texts describe what the paper published on 48 cores, with
 * databases of 2 and 20 GB.
 */
public final class TpcwFigures {
    private TpcwFigures() {}

    /** Returns all figures. */
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
