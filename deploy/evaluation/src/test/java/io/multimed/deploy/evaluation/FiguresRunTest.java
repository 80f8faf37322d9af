// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.evaluation.figure.Bounds;
import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Panel;
import io.multimed.deploy.evaluation.figure.Panel.Form;
import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.SimplePoint;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.deploy.terminal.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the points that a later run measures again, keeps, hides and refuses. */
class FiguresRunTest {
    @TempDir
    private Path folder;

    /** Names of the points that were measured. */
    private final List<String> measured = new ArrayList<>();

    /** A figure against clients, of which some points fail. */
    private record Simple(
            String id, String prefix, Map<String, String> configuration, boolean isComputed, Consumer<String> measured)
            implements Figure {
        @Override
        public String title() {
            return id;
        }

        @Override
        public String published() {
            return "a shape";
        }

        @Override
        public List<Panel> panels() {
            return List.of(new Panel("rate", "clients", "per second", Form.LINES));
        }

        @Override
        public Map<String, String> configuration(Scope scope) {
            return configuration;
        }

        @Override
        public List<Point> points(Scope scope) {
            return scope.clients(List.of(1, 2)).stream()
                    .<Point>map(clients -> new SimplePoint(prefix + clients, 1, any -> measure(clients)))
                    .toList();
        }

        private List<Value> measure(int clients) throws IOException {
            if (prefix.startsWith("broken")) {
                throw new IOException("the benchmark has ended with code 1");
            }
            measured.accept(prefix + clients);
            return List.of(Value.of("rate", "engine", clients, List.of(1.0 * clients)));
        }
    }

    private Simple figure(String id, String prefix) {
        return new Simple(id, prefix, Map.of("items", "10"), false, measured::add);
    }

    private List<String> run(List<Integer> clients, Figure... figures) throws Exception {
        measured.clear();
        Scope scope = new Scope(false, 2, List.of("postgresql"), new Bounds(1, 1, 0, clients, List.of()));
        FiguresRun run = new FiguresRun(
                folder, new Provenance(scope, "1", "b"), new Progress(new PrintWriter(new StringWriter())));
        run.plan(List.of(figures));
        try (Workbench workbench = new Workbench(scope, folder, step -> {}, line -> {})) {
            run.measure(workbench);
        }
        return run.failures();
    }

    @Test
    void shouldMeasureOtherFiguresAfterOneThatFails() throws Exception {
        assertThat(run(List.of(), figure("bad", "broken "), figure("good", "clients ")))
                .singleElement()
                .asString()
                .contains("bad, broken 1", "code 1");
        assertThat(measured).containsExactly("clients 1", "clients 2");
    }

    @Test
    void shouldAddPointsOfOtherNumbersOfClients() throws Exception {
        run(List.of(), figure("fig", "clients "));
        run(List.of(8), figure("fig", "clients "));
        assertThat(measured).containsExactly("clients 8");
        assertThat(Files.readString(folder.resolve("index.html"))).contains("<td>1<td>", "<td>2<td>", "<td>8<td>");
        run(List.of(), figure("fig", "clients "));
        assertThat(measured).isEmpty();
        assertThat(Files.readString(folder.resolve("fig.json"))).contains("--clients 8", "\"clients\" : [ 8 ]");
    }

    @Test
    void shouldHideThePointsThatAFigureNoLongerHas() throws Exception {
        run(List.of(), figure("fig", "old "));
        run(List.of(7), figure("fig", "clients "));
        assertThat(measured).containsExactly("clients 7");
        assertThat(Files.readString(folder.resolve("index.html")))
                .contains("<td>7<td>")
                .doesNotContain("<td>1<td>");
    }

    @Test
    void shouldComputeAgain() throws Exception {
        Figure computed = new Simple("model", "clients ", Map.of(), true, measured::add);
        run(List.of(), computed);
        run(List.of(), computed);
        assertThat(measured).containsExactly("clients 1", "clients 2");
        assertThat(Files.readAllLines(folder.resolve("model.csv"))).hasSize(3);
        run(List.of(), new Simple("model", "clients ", Map.of("items", "20"), true, measured::add));
        assertThat(Files.readString(folder.resolve("model.json"))).contains("20");
    }

    @Test
    void shouldRefuseToMixConfigurations() throws Exception {
        run(List.of(), figure("fig", "clients "));
        Figure larger = new Simple("fig", "clients ", Map.of("items", "20"), false, measured::add);
        assertThatThrownBy(() -> run(List.of(), larger))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("fig.json", "configuration", "20", "--out");
    }
}
