package io.multimed.deploy.evaluation.mariadb;

import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.FigureSource;
import io.multimed.deploy.evaluation.tpcw.ClientsFigure;
import io.multimed.deploy.evaluation.tpcw.ScalingFigure;
import io.multimed.tpcw.browser.Mix;
import java.util.ArrayList;
import java.util.List;

/** Figures 5 and 6 of the Multimed paper, which used MySQL. */
public final class MariaDbFigures implements FigureSource {
    private static final String ENGINE = "mariadb";
    private static final int CLIENTS_OF_BROWSING = 200;

    @Override
    public List<Figure> figures() {
        List<Figure> figures = new ArrayList<>();
        figures.add(new ScalingFigure(
                "fig5a",
                ENGINE,
                Mix.BROWSING,
                CLIENTS_OF_BROWSING,
                "Multimed paper, figure 5(a), (d), with MySQL 5.1: MySQL is best at 12 cores; Multimed scales to 6"
                        + " satellites, where the disk limits."));
        ClientsFigure.both(
                        "fig5",
                        ENGINE,
                        Mix.BROWSING,
                        "Multimed paper, figure 5(b), (e), with MySQL 5.1, to 400 clients: the throughput of MySQL does not fall"
                                + " with clients, and its response time rises linearly. C0 is like MySQL's best run; C1 is up to"
                                + " twice as fast, until the disk limits; C2 is no better than C1.",
                        "Multimed paper, figure 5(c), (f), with MySQL 5.1: the same with 20 GB.")
                .forEach(figures::add);
        figures.add(new ScalingFigure(
                "fig6a",
                ENGINE,
                Mix.SHOPPING,
                CLIENTS_OF_BROWSING,
                "Multimed paper, figure 6(a), (d), with MySQL 5.1: MySQL is best at 8 cores; Multimed scales to 16 cores,"
                        + " where the disk limits."));
        ClientsFigure.both(
                        "fig6",
                        ENGINE,
                        Mix.SHOPPING,
                        "Multimed paper, figure 6(b), (e), with MySQL 5.1: three times MySQL with 2 GB.",
                        "Multimed paper, figure 6(c), (f), with MySQL 5.1: 1.5 times MySQL with 20 GB.")
                .forEach(figures::add);
        return figures;
    }
}
