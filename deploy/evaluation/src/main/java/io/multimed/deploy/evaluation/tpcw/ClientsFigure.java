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
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.schema.Scale;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Throughput and response time against the number of clients, of a plain engine and of Multimed at several
 * optimization levels, on all cores (paper figures 3b, 3c, 3e and 3f to 6b, 6c, 6e and 6f).
 *
 * @param compared the optimization levels
 * @param remark how the engine differs from the paper's; may be empty
 */
public record ClientsFigure(
        String id, String engine, Mix mix, boolean large, List<Level> compared, String published, String remark)
        implements Figure {
    /** The paper's words about the ordering mix. */
    public static final String ORDERING =
            "Multimed paper, no figure: the ordering mix is limited by the disk before the CPUs"
                    + " are used (section 4.2), so that Multimed is similar to the single database (section 5.2), with only a"
                    + " slight loss (section 1.3).";

    private static final int SATELLITES = 2;

    private static final List<Integer> CLIENTS = List.of(10, 50, 200, 1_000);

    /** Those with large data, which take longer, and with the ordering mix, of which the paper has no figure. */
    private static final List<Integer> FEWER_CLIENTS = List.of(10, 200, 1_000);

    @Override
    public String title() {
        return "%s, %s mix, against clients, %s database"
                .formatted(engine, TpcwFigures.name(mix), large ? "large" : "small");
    }

    @Override
    public String note() {
        return String.join(
                        " ",
                        TpcwFigures.PLAIN_ENGINE,
                        TpcwFigures.INDEXES,
                        TpcwFigures.FRESH_DATA,
                        TpcwLoad.MEASURED_TIMES,
                        remark)
                .strip();
    }

    @Override
    public List<Panel> panels() {
        return TpcwLoad.panels("clients", Form.LOGARITHMIC_LINES);
    }

    @Override
    public Map<String, String> configuration(Scope scope) {
        return TpcwFigures.configuration(List.of(field(scope)));
    }

    private List<Integer> clients(Scope scope) {
        return scope.clients(large || mix == Mix.ORDERING ? FEWER_CLIENTS : CLIENTS);
    }

    private Field field(Scope scope) {
        List<Integer> clients = clients(scope);
        int most = scope.connections(clients.get(clients.size() - 1));
        Scale scale = large ? TpcwLoad.large(scope) : TpcwLoad.small(scope);
        List<Level> levels = scope.choose(List.of(Level.C2_WITH_CACHE), scope.levels(compared));
        List<ClusterSpec> systems = levels.stream()
                .map(level -> ClusterSpec.of(engine, level, scope.cores(), SATELLITES, most))
                .toList();
        return new Field(engine, scope.cores(), most, scale, systems, id);
    }

    @Override
    public List<Point> points(Scope scope) throws UnavailableException {
        TpcwFigures.check(engine, scope);
        Field field = field(scope);
        List<Integer> clients = clients(scope);
        return clients.stream()
                .<Point>map(count -> point(field, count, scope, count.equals(clients.get(0))))
                .toList();
    }

    private Point point(Field field, int clients, Scope scope, boolean first) {
        TpcwLoad load = TpcwLoad.of(mix, clients);
        return new SimplePoint(
                "%d clients".formatted(clients),
                (first ? field.startSeconds(scope) : 0) + load.seconds(field, scope, !first),
                workbench -> load.measure(field, Integer.toString(clients), workbench));
    }

    /** Returns the figures of one engine and mix at all levels: small and large data. */
    public static Stream<Figure> both(
            String prefix, String engine, Mix mix, String small, String large, String remark) {
        return Stream.of(
                new ClientsFigure(prefix + "b", engine, mix, false, List.of(Level.values()), small, remark),
                new ClientsFigure(prefix + "c", engine, mix, true, List.of(Level.values()), large, remark));
    }
}
