package io.multimed.deploy.evaluation.capacity;

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
        Spread throughput) {
    /** Satellites of the system on which demands are measured; its parts keep their cores if one is removed. */
    static final int SATELLITES = 2;

    /** Returns the points of the figure {@code demands} itself. */
    static Stream<MeasuredPoint> of(MeasuredDemands file) {
        return Stream.of(Mix.values())
                .flatMap(mix -> file.measurements().stream()
                        .filter(each -> each.work().equals(Work.title(mix)))
                        .map(each -> new MeasuredPoint(
                                DemandsFigure.ID,
                                title(each.satellites()),
                                Integer.toString(each.clients()),
                                mix,
                                each.satellites(),
                                each.clients(),
                                file.cores(),
                                Deployment.ofFigures(file.cores(), SATELLITES),
                                new Spread(each.throughput(), each.throughput(), each.throughput()))));
    }

    static String title(int satellites) {
        return satellites == 0 ? "engine alone" : satellites == 1 ? "1 satellite" : satellites + " satellites";
    }

    /** Returns the throughput that the model predicts. */
    double predicted(Demands demands) {
        return satellites == 0
                ? Deployment.engine(demands, cores, true, 0).solve(clients).throughput()
                : deployment.multimed(demands, satellites, 0).solve(clients).throughput();
    }

    /** Returns the relative error of the prediction. */
    double error(Demands demands) {
        return ModelError.of(predicted(demands), throughput.median());
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s, %s, %s", figure, series, place);
    }
}
