// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.Multimed;
import io.multimed.deploy.evaluation.figure.ResultFile;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.tpcw.browser.Mix;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the answers of the command, and what it says after mistakes. */
@Tag("exhaustive")
class CapacityCommandTest {
    @TempDir
    private Path folder;

    private Path model;
    private Path demands;

    @BeforeEach
    void writeFiles() throws Exception {
        model = Files.writeString(folder.resolve("model.yaml"), """
                database: shop
                nodes:
                - {name: m, role: master, cores: 4-7}
                - {name: a, role: satellite, cores: 8-11}
                """);
        demands = folder.resolve(MeasuredDemands.FILE);
        Samples.file().write(demands);
    }

    /** Runs the command and returns its exit code and its output. */
    private String run(String... arguments) {
        StringWriter printed = new StringWriter();
        PrintWriter writer = new PrintWriter(printed);
        List<String> line = new ArrayList<>(List.of("capacity", "--model=" + model, "--demands=" + demands));
        if (List.of(arguments).stream().noneMatch(argument -> argument.startsWith("--mix"))) {
            line.add("--mix=shopping");
        }
        line.addAll(List.of(arguments));
        int exit = Multimed.commandLine().setOut(writer).setErr(writer).execute(line.toArray(String[]::new));
        return exit + " " + printed;
    }

    /** One satellite with 4 cores reaches 4/2.1 ms = 1,905 per second: 200 clients wait for 105 ms. */
    @Test
    void shouldSayHowManySatellitesAreNeeded() {
        assertThat(run("--clients=200", "--cores=12", "--response=150ms"))
                .startsWith("0 ")
                .contains("middleware 4 cores, master 4, satellites [4]")
                .contains("200 clients with a mean response time of at most 150.0 ms need 1 satellite.")
                .contains("checked against 1 measured points that do not feed it (0 with separate cores)")
                .contains("is not checked")
                .containsPattern("(?m)^ +1 +12 +1905 +\\(1732-2116\\) +105.0 ms  satellites, 100 % busy$")
                .contains("With the smallest and the largest service times of the rounds: 1 satellite in both cases");
        assertThat(run("--clients=200", "--cores=12", "--response=80ms"))
                .startsWith("0 ")
                .contains("need 2 satellites.");
        assertThat(run("--clients=2000", "--cores=12", "--think-time=7s", "--response=20ms"))
                .as("285 interactions per second")
                .startsWith("0 ")
                .contains("need 1 satellite.");
    }

    /** The engine alone loses throughput with clients, which says nothing about satellites. */
    @Test
    void shouldCheckTheModelWithPointsOfMultimedOnly() throws Exception {
        Samples.file().with(Samples.plain("shopping", 1_000, 10)).write(demands);
        assertThat(run("--clients=200", "--cores=12")).contains("checked against 1 measured points that");
    }

    @Test
    void shouldSayWhereMoreSatellitesDoNotHelpOrNeedALargerMachine() {
        assertThat(run("--clients=200", "--cores=20"))
                .contains("3 satellites: 5,000 per second; with more satellites, the throughput rises by less than 1 %")
                .contains("From 2 satellites on, the system needs more than the 20 cores of --cores");
        assertThat(run("--clients=200", "--cores=20", "--max-satellites=1")).doesNotContain("needs more than");
    }

    @Test
    void shouldNameTheLimitIfNoNumberSuffices() {
        assertThat(run("--clients=200", "--cores=12", "--response=10ms"))
                .startsWith("1 ")
                .contains("12 satellites are not enough. The busiest part is then middleware")
                .contains("more cores for this part do");
        assertThat(run("--clients=200", "--cores=12", "--response=80ms", "--max-satellites=1"))
                .startsWith("1 ")
                .contains(
                        "1 satellites are not enough. The busiest part is then satellites, 100 % busy: allow more of them");
        assertThat(run("--clients=200", "--cores=8", "--response=80ms"))
                .startsWith("1 ")
                .contains("8 cores, shared by the middleware and all nodes", "because all parts share these cores");
    }

    @Test
    void shouldExplainMistakes() throws Exception {
        assertThat(run("--clients=0")).startsWith("2 ").contains("--clients must be from 1 to 20000, not 0");
        assertThat(run("--clients=1", "--cores=0")).startsWith("2 ").contains("--cores must be from 1");
        assertThat(run("--clients=1", "--max-satellites=0")).startsWith("2 ").contains("--max-satellites must be");
        assertThat(run("--clients=1", "--think-time=soon"))
                .startsWith("2 ")
                .contains("--think-time: \"soon\" is not a duration");
        assertThat(run("--clients=1", "--response=2")).startsWith("2 ").contains("--response: \"2\" is not a duration");
        assertThat(run("--clients=1", "--cores=12", "--local-clients"))
                .startsWith("2 ")
                .contains("--local-clients: the nodes of this model have cores of their own");
        assertThat(run("--clients=1", "--mix=ordering"))
                .startsWith("2 ")
                .contains("the mix ordering on an engine alone are not measured");
        Files.delete(demands);
        assertThat(run("--clients=1"))
                .startsWith("2 ")
                .contains(
                        "there are no measured service times; measure them with multimed figures --only demands --out");
    }

    @Test
    void shouldRefuseTheServiceTimesOfAnotherEngine() throws Exception {
        Files.writeString(model, "engine: mariadb\ndatabase: shop\nnodes: [{name: m, role: master}]");
        assertThat(run("--clients=1"))
                .startsWith("2 ")
                .contains("the service times are those of postgresql", "--engines mariadb");
        Files.writeString(model, "nodes: [{name: m, role: king}]");
        assertThat(run("--clients=1")).startsWith("2 ").contains("king");
    }

    @Test
    void shouldSayThatAnotherConfigurationWasMeasured() throws Exception {
        Files.writeString(model, "optimization: C0\ndatabase: shop\nnodes: [{name: m, role: master}]");
        assertThat(run("--clients=1", "--cores=4"))
                .startsWith("0 ")
                .contains("note: the model differs from what was measured");
    }

    /** Half of the measured throughput is as wrong as twice of it. */
    @Test
    void shouldVaryTheServiceTimesByTheFactorOfTheWorstPoint() throws Exception {
        Samples.file().with(Samples.multimed("shopping", 0.2, 2, 64, 2_000)).write(demands);
        double predicted = MeasuredPoint.of(MeasuredDemands.read(demands))
                .filter(point -> !point.calibration() && point.satellites() == 2)
                .map(point ->
                        point.check(Demands.of(Samples.file(), Mix.SHOPPING)).predicted())
                .findFirst()
                .orElseThrow();
        assertThat(run("--clients=200", "--cores=12"))
                .contains("divided or multiplied by %.2f, the factor of the worst point".formatted(2_000 / predicted));
        assertThat(2_000 / predicted).isGreaterThan(4);
    }

    @Test
    void shouldSayWhatIsNotComparedAndWhatIsNoise() throws Exception {
        ResultFile.open(folder.resolve("fig4b.csv"))
                .append("p", List.of(Value.single("throughput", "Multimed C1 #S=2", "50", 420)));
        Samples.file()
                .withSatellite(Map.of("middleware", Samples.around(-1e-6), "satellites", Samples.around(1e-6)))
                .write(demands);
        assertThat(run("--clients=200", "--cores=12"))
                .contains("note: fig4b is not compared: fig4b.json, which says how it was measured, is missing")
                .contains("note: what each satellite adds to the CPU time of middleware");
    }
}
