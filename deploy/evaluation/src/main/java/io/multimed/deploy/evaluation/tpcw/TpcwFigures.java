package io.multimed.deploy.evaluation.tpcw;

import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.UnavailableException;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.browser.Pages;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The figures of TPC-W. The texts describe what the paper published on 48 cores, with databases of 2 and 20 GB. */
public final class TpcwFigures {
    private static final String POSTGRESQL = "postgresql";
    private static final String MARIADB = "mariadb";
    private static final int CLIENTS_OF_BROWSING = 200;
    private static final int CLIENTS_OF_SHOPPING = 400;

    private TpcwFigures() {}

    /** Returns all figures. */
    public static List<Figure> all() {
        List<Figure> figures = new ArrayList<>();
        figures.add(new EngineFigure(
                "fig1a",
                Pages.ALL,
                "One engine, browsing mix",
                "Multimed paper, figure 1(a): PostgreSQL 8.3 becomes slower with more cores, because Best Sellers holds"
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
        figures.add(new ScalingFigure(
                "fig3a",
                POSTGRESQL,
                Mix.BROWSING,
                CLIENTS_OF_BROWSING,
                "Multimed paper, figure 3(a), (d): PostgreSQL does not scale with cores; Multimed C1 scales almost linearly"
                        + " to 40 cores (8 satellites), below the linear line by the cores of its middleware; then the disk"
                        + " limits."));
        ClientsFigure.both(
                        "fig3",
                        POSTGRESQL,
                        Mix.BROWSING,
                        "Multimed paper, figure 3(b), (e): all levels are above PostgreSQL, C1 by more than 1,000"
                                + " transactions per second above C0, C2 above C1; the throughput is steady up to 1,000"
                                + " clients, with responses below 1 s.",
                        "Multimed paper, figure 3(c), (f): the same with 20 GB; C0 has a larger spread, because all"
                                + " satellites write to the disk.")
                .forEach(figures::add);
        figures.add(new ScalingFigure(
                "fig4a",
                POSTGRESQL,
                Mix.SHOPPING,
                CLIENTS_OF_SHOPPING,
                "Multimed paper, figure 4(a), (d): Multimed scales to 16 cores (2 satellites), where the disk limits; it"
                        + " stays flat while PostgreSQL falls."));
        ClientsFigure.both(
                        "fig4",
                        POSTGRESQL,
                        Mix.SHOPPING,
                        "Multimed paper, figure 4(b), (e): with few clients the updates compete for the master; past 150"
                                + " clients Multimed uses its satellites, and is steady.",
                        "Multimed paper, figure 4(c), (f): with 20 GB and few clients C0 is slower than PostgreSQL; C1 and"
                                + " C2 are faster.")
                .forEach(figures::add);
        figures.add(new ScalingFigure(
                "fig5a",
                MARIADB,
                Mix.BROWSING,
                CLIENTS_OF_BROWSING,
                "Multimed paper, figure 5(a), (d), with MySQL 5.1: MySQL is best at 12 cores; Multimed scales to 6"
                        + " satellites, where the disk limits."));
        ClientsFigure.both(
                        "fig5",
                        MARIADB,
                        Mix.BROWSING,
                        "Multimed paper, figure 5(b), (e), with MySQL 5.1: C0 is like MySQL's best, C1 twice as fast, C2 like"
                                + " C1.",
                        "Multimed paper, figure 5(c), (f), with MySQL 5.1: the same with 20 GB.")
                .forEach(figures::add);
        figures.add(new ScalingFigure(
                "fig6a",
                MARIADB,
                Mix.SHOPPING,
                CLIENTS_OF_BROWSING,
                "Multimed paper, figure 6(a), (d), with MySQL 5.1: MySQL is best at 8 cores; Multimed scales to 16 cores,"
                        + " where the disk limits."));
        ClientsFigure.both(
                        "fig6",
                        MARIADB,
                        Mix.SHOPPING,
                        "Multimed paper, figure 6(b), (e), with MySQL 5.1: three times MySQL with 2 GB.",
                        "Multimed paper, figure 6(c), (f), with MySQL 5.1: 1.5 times MySQL with 20 GB.")
                .forEach(figures::add);
        String ordering = "Multimed paper, section 4.2: not published, because the disk limits before any CPU is used.";
        ClientsFigure.both("ordering", POSTGRESQL, Mix.ORDERING, ordering, ordering)
                .forEach(figures::add);
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
