// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
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
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.tpcw.browser.Mix;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Throughput and response time against cores and satellites, of a plain engine and of Multimed C1 (paper figures 3a to
 * 6a, and 3d to 6d).
 *
 * @param remark how the engine and its load differ from the paper's; may be empty
 */
public record ScalingFigure(String id, String engine, Mix mix, int clients, String published, String remark)
        implements Figure {
    /** The paper gives four cores to each part of the system. */
    private static final int CORES_OF_A_PART = 4;

    private static final int MIN_SATELLITES = 2;

    @Override
    public String title() {
        return "%s, %s mix, against cores and satellites, %d clients".formatted(engine, TpcwFigures.name(mix), clients);
    }

    @Override
    public String note() {
        return String.join(
                        " ",
                        "The cores are those of the plain engine, and of the middleware, the master and the satellites"
                                + " together, which divide them, or share them if there are fewer cores than parts; the"
                                + " clients have all cores of the machine.",
                        "Each point restarts the databases, and warms them up.",
                        TpcwFigures.PLAIN_ENGINE,
                        TpcwFigures.FRESH_DATA,
                        TpcwLoad.MEASURED_TIMES,
                        remark)
                .strip();
    }

    @Override
    public List<Panel> panels() {
        return TpcwLoad.panels("cores (satellites)", Form.LINES);
    }

    @Override
    public Map<String, String> configuration(Scope scope) {
        return TpcwFigures.configuration(fields(scope));
    }

    /** Returns what is measured at each point. */
    private List<Field> fields(Scope scope) {
        int connections = scope.connections(scope.clients(clients));
        List<Field> fields = new ArrayList<>();
        for (int cores : scope.quick() ? List.of(scope.cores()) : scope.coreCounts()) {
            for (int satellites : satellites(cores, scope)) {
                ClusterSpec system = ClusterSpec.of(engine, Level.C1, cores, satellites, connections);
                fields.add(new Field(engine, cores, connections, TpcwLoad.small(scope), List.of(system), id));
            }
        }
        return fields;
    }

    @Override
    public List<Point> points(Scope scope) throws UnavailableException {
        TpcwFigures.check(engine, scope);
        TpcwLoad load = TpcwLoad.of(mix, scope.clients(clients));
        List<Point> points = new ArrayList<>();
        for (Field field : fields(scope)) {
            int start = points.isEmpty() ? field.startSeconds(scope) : field.restartSeconds(scope);
            int satellites = field.systems().get(0).satellites();
            points.add(new SimplePoint(
                    "%d cores, %d satellites".formatted(field.cores(), satellites),
                    start + load.seconds(field, scope, false),
                    workbench -> measure(load, field, "%d (%d)".formatted(field.cores(), satellites), workbench)));
        }
        return points;
    }

    /** Values of any number of satellites are one series. */
    private static List<Value> measure(TpcwLoad load, Field field, String place, Workbench workbench) throws Exception {
        return load.measure(field, place, workbench).stream()
                .map(value -> value.in(value.series().startsWith("Multimed") ? "Multimed C1" : value.series()))
                .toList();
    }

    /** With few cores, the parts share them, and one and two satellites are compared; on one core, one satellite. */
    private static List<Integer> satellites(int cores, Scope scope) {
        int room = cores / CORES_OF_A_PART - MIN_SATELLITES;
        if (scope.quick()) {
            return List.of(MIN_SATELLITES);
        }
        if (cores == 1) {
            return List.of(1);
        }
        return room < MIN_SATELLITES ? List.of(1, 2) : List.of(room);
    }
}
