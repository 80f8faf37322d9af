package io.multimed.deploy.evaluation.tpcw;

import io.multimed.deploy.evaluation.database.ClusterSpec;
import io.multimed.deploy.evaluation.database.Contenders.Field;
import io.multimed.deploy.evaluation.database.Level;
import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.Panel.Form;
import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.SimplePoint;
import io.multimed.deploy.evaluation.figure.UnavailableException;
import io.multimed.tpcw.browser.Mix;
import java.util.ArrayList;
import java.util.List;

/**
 * Throughput and response time against cores and satellites, of a plain engine and of Multimed C1 (paper figures 3a to
 * 6a, and 3d to 6d).
 */
public record ScalingFigure(String id, String engine, Mix mix, int clients, String published) implements Figure {
    /** The paper gives four cores to each part of the system. */
    private static final int CORES_OF_A_PART = 4;

    private static final int FEWEST_SATELLITES = 2;

    @Override
    public String title() {
        return "%s, %s mix, against cores and satellites, %d clients".formatted(engine, TpcwFigures.name(mix), clients);
    }

    @Override
    public List<Panel> panels() {
        return List.of(
                new Panel(TpcwLoad.THROUGHPUT, "cores (satellites)", "web interactions per second", Form.LINES),
                new Panel(TpcwLoad.RESPONSE, "cores (satellites)", "mean response time in ms", Form.LINES));
    }

    @Override
    public List<Point> points(Scope scope) throws UnavailableException {
        TpcwFigures.check(engine, scope);
        int count = scope.clients(clients);
        int connections = scope.connections(count);
        List<Point> points = new ArrayList<>();
        for (int cores : scope.quick() ? List.of(scope.cores()) : scope.coreCounts()) {
            for (int satellites : satellites(cores, scope)) {
                String place = "%d (%d)".formatted(cores, satellites);
                ClusterSpec system = ClusterSpec.of(engine, Level.C1, cores, satellites, connections);
                Field field = new Field(engine, cores, connections, TpcwLoad.small(scope), List.of(system));
                points.add(new SimplePoint(
                        "%d cores, %d satellites".formatted(cores, satellites),
                        TpcwLoad.seconds(scope, 2) + field.startSeconds(scope),
                        workbench -> TpcwLoad.of(mix, count).measure(field, place, workbench).stream()
                                .map(value -> value.in(
                                        value.series().startsWith("Multimed") ? "Multimed C1" : value.series()))
                                .toList()));
            }
        }
        return points;
    }

    /** With few cores, the parts share them, and one and two satellites are compared. */
    private static List<Integer> satellites(int cores, Scope scope) {
        int room = cores / CORES_OF_A_PART - FEWEST_SATELLITES;
        if (scope.quick()) {
            return List.of(FEWEST_SATELLITES);
        }
        return room < FEWEST_SATELLITES ? List.of(1, 2) : List.of(room);
    }
}
