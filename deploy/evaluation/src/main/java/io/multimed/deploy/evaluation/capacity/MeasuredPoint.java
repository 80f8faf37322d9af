// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.capacity.ModelError.Check;
import io.multimed.deploy.evaluation.capacity.queueing.ClosedNetwork;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.run.Spread;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A measured throughput that the model can predict.
 *
 * @param figure the figure that measured it
 * @param series name of the line in that figure
 * @param place position in that figure
 * @param satellites 0 for an engine alone
 * @param deployment the cores of the parts; of an engine alone, {@code cores} are those of the engine
 * @param throughput interactions per second
 * @param calibration whether the model is fed with CPU times of this point, so that it is no check
 */
record MeasuredPoint(
        String figure,
        String series,
        String place,
        Mix mix,
        int satellites,
        int clients,
        int cores,
        Deployment deployment,
        Spread throughput,
        boolean calibration) {
    /** Satellites of the system on which demands are measured; its parts keep their cores if one is removed. */
    static final int SATELLITES = 2;

    /** Returns the points of the figure {@code demands} itself. */
    static Stream<MeasuredPoint> of(MeasuredDemands file) {
        return Stream.of(Mix.values())
                .flatMap(mix -> file.measurements().stream()
                        .filter(each -> each.work().equals(Work.title(mix)))
                        .filter(each -> each.throughput().median() > 0)
                        .map(each -> new MeasuredPoint(
                                DemandsFigure.ID,
                                title(each.satellites()),
                                Integer.toString(each.clients()),
                                mix,
                                each.satellites(),
                                each.clients(),
                                file.cores(),
                                Deployment.ofFigures(file.cores(), SATELLITES, file.cores()),
                                each.throughput(),
                                each.demand())));
    }

    static String title(int satellites) {
        return satellites == 0 ? "engine alone" : satellites == 1 ? "1 satellite" : satellites + " satellites";
    }

    /** Returns whether each part of Multimed has cores of its own. */
    boolean isSeparate() {
        return satellites > 0 && !deployment.isShared();
    }

    private ClosedNetwork network(Demands demands) {
        return satellites == 0
                ? Deployment.engine(demands, cores, deployment.clientMachine(), 0)
                : deployment.multimed(demands, satellites, 0);
    }

    /** Returns the throughput that the model predicts. */
    Spread predicted(DemandRange demands) {
        return demands.throughput(this::network, clients);
    }

    /** Compares the prediction with what was measured. */
    Check check(Demands demands) {
        return new Check(network(demands).solve(clients).throughput(), throughput.median(), isSeparate());
    }

    /**
     * Returns the relative error of a prediction. Its range follows from the ranges of the prediction and of the
     * measurement; a round of which nothing is known has no upper bound of the error, and counts as the median.
     */
    Spread error(Spread predicted) {
        double least = throughput.min() > 0 ? throughput.min() : throughput.median();
        return new Spread(
                predicted.min() / throughput.max() - 1,
                predicted.median() / throughput.median() - 1,
                predicted.max() / least - 1);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s, %s, %s", figure, series, place);
    }
}
