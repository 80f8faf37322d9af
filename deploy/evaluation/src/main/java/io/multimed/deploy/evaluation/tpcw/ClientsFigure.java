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
import java.util.stream.Stream;

/**
 * Throughput and response time against the number of clients, of a plain engine and of Multimed at all optimization
 * levels, on all cores (paper figures 3b, 3c, 3e and 3f to 6b, 6c, 6e and 6f).
 */
public record ClientsFigure(String id, String engine, Mix mix, boolean large, String published) implements Figure {
    private static final int SATELLITES = 2;

    @Override
    public String title() {
        return "%s, %s mix, against clients, %s database"
                .formatted(engine, TpcwFigures.name(mix), large ? "large" : "small");
    }

    @Override
    public List<Panel> panels() {
        return List.of(
                new Panel(TpcwLoad.THROUGHPUT, "clients", "web interactions per second", Form.LINES),
                new Panel(TpcwLoad.RESPONSE, "clients", "mean response time in ms", Form.LOGARITHMIC_LINES));
    }

    @Override
    public List<Point> points(Scope scope) throws UnavailableException {
        TpcwFigures.check(engine, scope);
        List<Integer> clients = scope.clients(List.of(10, 50, 200, 1_000));
        int most = scope.connections(clients.get(clients.size() - 1));
        Scale scale = large ? TpcwLoad.large(scope) : TpcwLoad.small(scope);
        List<Level> levels = scope.choose(List.of(Level.C2_WITH_CACHE), scope.levels(List.of(Level.values())));
        List<ClusterSpec> systems = levels.stream()
                .map(level -> ClusterSpec.of(engine, level, scope.cores(), SATELLITES, most))
                .toList();
        Field field = new Field(engine, scope.cores(), most, scale, systems);
        return clients.stream()
                .<Point>map(count ->
                        point(field, count, scope, count.equals(clients.get(0)) ? field.startSeconds(scope) : 0))
                .toList();
    }

    private Point point(Field field, int clients, Scope scope, int start) {
        return new SimplePoint(
                "%d clients".formatted(clients),
                start + TpcwLoad.seconds(scope, 1 + field.systems().size()),
                workbench -> TpcwLoad.of(mix, clients).measure(field, Integer.toString(clients), workbench));
    }

    /** Returns the figures of one engine and mix: small and large data. */
    public static Stream<Figure> both(String prefix, String engine, Mix mix, String small, String large) {
        return Stream.of(
                new ClientsFigure(prefix + "b", engine, mix, false, small),
                new ClientsFigure(prefix + "c", engine, mix, true, large));
    }
}
