// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.Multimed;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.tpcw.browser.Mix;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Measures service times on an engine in the quick form, and predicts from them. In the second of two rounds, a
 * satellite that was removed is there again.
 */
@Tag("exhaustive")
@Timeout(300)
class DemandsFigureTest {
    private static final String ENGINE =
            System.getProperty("multimed.test.engines", "postgresql").split(",", -1)[0];

    /** Accounts of engines can pass through it. */
    private final StateFolder state = StateFolder.temporary("multimed-capacity-");

    private final Path folder = state.path();

    @AfterEach
    void removeFolder() {
        state.discard();
    }

    private static String run(String... arguments) {
        StringWriter printed = new StringWriter();
        PrintWriter writer = new PrintWriter(printed);
        int exit = Multimed.commandLine().setOut(writer).setErr(writer).execute(arguments);
        return exit + " " + printed;
    }

    private String figures(String only) {
        return run(
                "figures", "--only", only, "--quick", "--rounds", "2", "--engines", ENGINE, "--out", folder.toString());
    }

    @Test
    void shouldMeasureServiceTimesAndPredictFromThem() throws Exception {
        assertThat(figures("model")).startsWith("1 ").contains("there are no measured service times");
        assertThat(figures("demands,model")).startsWith("0 ");
        MeasuredDemands file = MeasuredDemands.read(folder.resolve(MeasuredDemands.FILE));
        Demands demands = Demands.of(file, Mix.SHOPPING);
        assertThat(demands.engine()).isPositive();
        assertThat(demands.middleware() + demands.sending()).isPositive();
        assertThat(demands.master()).isPositive();
        assertThat(demands.reads() + demands.apply()).isPositive();
        assertThat(file.multimed("shopping")).hasSize(2);
        assertThat(file.multimed("updates"))
                .hasSize(2)
                .allMatch(each -> each.cpu("satellites").min() > 0);
        assertThat(file.satellite()).containsOnlyKeys("client", "middleware", "master", "satellites");
        assertThat(folder.resolve("model.csv"))
                .content()
                .contains("shopping against cores", "error of the model", "all with ");
        assertThat(folder.resolve("index.html")).content().contains("id=\"demands\"", "id=\"model\"");
        assertThat(figures("demands")).startsWith("0 ").contains("0 of   5 points to measure");
        Path model = Files.writeString(
                folder.resolve("model.yaml"),
                "engine: %s\ndatabase: shop\nnodes: [{name: m, role: master}]\n".formatted(ENGINE));
        assertThat(run(
                        "capacity",
                        "--model=" + model,
                        "--mix=shopping",
                        "--clients=10",
                        "--response=10m",
                        "--demands=" + folder.resolve(MeasuredDemands.FILE)))
                .startsWith("0 ")
                .contains("need 1 satellite.");
    }
}
