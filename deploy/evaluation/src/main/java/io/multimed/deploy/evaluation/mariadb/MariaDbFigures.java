// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.mariadb;

import io.multimed.deploy.evaluation.database.Level;
import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.FigureSource;
import io.multimed.deploy.evaluation.tpcw.ClientsFigure;
import io.multimed.deploy.evaluation.tpcw.ScalingFigure;
import io.multimed.tpcw.browser.Mix;
import java.util.ArrayList;
import java.util.List;

/** Figures 5 and 6 of the Multimed paper, which used MySQL, and the ordering mix. */
public final class MariaDbFigures implements FigureSource {
    private static final String ENGINE = "mariadb";
    private static final int CLIENTS = 200;
    private static final String THREADS =
            "MariaDB has no limit of the threads that work on its data, while the paper gave"
                    + " MySQL one such thread for each core, and let further clients wait.";

    @Override
    public List<Figure> figures() {
        List<Figure> figures = new ArrayList<>();
        figures.add(new ScalingFigure(
                "fig5a",
                ENGINE,
                Mix.BROWSING,
                CLIENTS,
                "Multimed paper, figure 5(a), (d), with MySQL 5.1, 2 GB, 200 clients: MySQL is best at 12 cores; Multimed"
                        + " scales to 6 satellites, where the disk limits.",
                THREADS));
        ClientsFigure.both(
                        "fig5",
                        ENGINE,
                        Mix.BROWSING,
                        "Multimed paper, figure 5(b), (e), with MySQL 5.1, 2 GB, to 400 clients: the throughput of MySQL does"
                                + " not fall with clients, and its response time rises linearly. C0 is like MySQL's best run;"
                                + " Multimed is up to twice as fast as MySQL, until the disk limits: C1 is faster than C0, and"
                                + " C2 no faster than C1.",
                        "Multimed paper, figure 5(c), (f), with MySQL 5.1, 20 GB, to 400 clients: as with 2 GB.",
                        THREADS)
                .forEach(figures::add);
        figures.add(new ScalingFigure(
                "fig6a",
                ENGINE,
                Mix.SHOPPING,
                CLIENTS,
                "Multimed paper, figure 6(a), (d), with MySQL 5.1: MySQL is best at 8 cores; Multimed scales to 16 cores,"
                        + " where the disk limits.",
                THREADS
                        + " The text of the paper does not say how many clients figure 6(a) had; here they are as many as in"
                        + " figure 5(a)."));
        ClientsFigure.both(
                        "fig6",
                        ENGINE,
                        Mix.SHOPPING,
                        "Multimed paper, figure 6(b), (e), with MySQL 5.1: three times MySQL with 2 GB.",
                        "Multimed paper, figure 6(c), (f), with MySQL 5.1: 1.5 times MySQL with 20 GB; with more data the"
                                + " clients contend less, and MySQL is better than with 2 GB.",
                        THREADS)
                .forEach(figures::add);
        figures.add(new ClientsFigure(
                "orderingm",
                ENGINE,
                Mix.ORDERING,
                false,
                List.of(Level.C1, Level.C2_WITH_CACHE),
                ClientsFigure.ORDERING,
                THREADS));
        return figures;
    }
}
