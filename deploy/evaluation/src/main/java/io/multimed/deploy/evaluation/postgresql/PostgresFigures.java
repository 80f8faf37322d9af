// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.postgresql;

import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.FigureSource;
import io.multimed.deploy.evaluation.tpcw.ClientsFigure;
import io.multimed.deploy.evaluation.tpcw.ScalingFigure;
import io.multimed.tpcw.browser.Mix;
import java.util.ArrayList;
import java.util.List;

/** Figures 3 and 4 of the Multimed paper, the ordering mix, and where the time goes. */
public final class PostgresFigures implements FigureSource {
    private static final String ENGINE = "postgresql";
    private static final int CLIENTS_OF_BROWSING = 200;
    private static final int CLIENTS_OF_SHOPPING = 400;

    @Override
    public List<Figure> figures() {
        List<Figure> figures = new ArrayList<>();
        figures.add(new ScalingFigure(
                "fig3a",
                ENGINE,
                Mix.BROWSING,
                CLIENTS_OF_BROWSING,
                "Multimed paper, figure 3(a), (d), 2 GB, 200 clients: PostgreSQL does not scale with cores; Multimed C1"
                        + " scales almost linearly to 40 cores (8 satellites), below the linear line by the cores of its"
                        + " middleware; then the disk limits.",
                ""));
        ClientsFigure.both(
                        "fig3",
                        ENGINE,
                        Mix.BROWSING,
                        "Multimed paper, figure 3(b), (e), 2 GB: all levels are above PostgreSQL, which is slower on 48 cores"
                                + " than on 12; C1 is more than 1,000 transactions per second above C0, which has larger"
                                + " error bars, because all satellites write to the disk; C2 adds satellites, and routes heavy"
                                + " queries to some of them; the throughput is steady up to 1,000 clients, with responses"
                                + " below 1 s.",
                        "Multimed paper, figure 3(c), (f), 20 GB: as with 2 GB, all levels are above PostgreSQL.",
                        "")
                .forEach(figures::add);
        figures.add(new ScalingFigure(
                "fig4a",
                ENGINE,
                Mix.SHOPPING,
                CLIENTS_OF_SHOPPING,
                "Multimed paper, figure 4(a), (d), 2 GB, 400 clients: Multimed scales to 16 cores (2 satellites), where the"
                        + " disk limits; it stays flat while PostgreSQL falls.",
                ""));
        ClientsFigure.both(
                        "fig4",
                        ENGINE,
                        Mix.SHOPPING,
                        "Multimed paper, figure 4(b), (e), 2 GB: PostgreSQL does not scale with clients; with few clients the"
                                + " updates of Multimed compete for the master; past 150 clients Multimed uses its"
                                + " satellites, and is steady.",
                        "Multimed paper, figure 4(c), (f), 20 GB: with few clients C0 is slower than PostgreSQL, more than with"
                                + " 2 GB; C1 and C2 are faster than C0.",
                        "")
                .forEach(figures::add);
        ClientsFigure.both("ordering", ENGINE, Mix.ORDERING, ClientsFigure.ORDERING, ClientsFigure.ORDERING, "")
                .forEach(figures::add);
        figures.add(new CostFigure());
        return figures;
    }
}
