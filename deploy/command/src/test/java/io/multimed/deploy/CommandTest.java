package io.multimed.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.engine.EachEngine;
import io.multimed.deploy.engine.StateFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** The commands as a person runs them. */
@Timeout(600)
class CommandTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @EachEngine
    void shouldRunTheQuickstartWithoutErrorsAndLeaveNothingBehind(String engine) throws Exception {
        StateFolder state = StateFolder.temporary("multimed-quickstart-");
        Path json = folder.resolve("figures.json");
        Path html = folder.resolve("report.html");
        try {
            int exit = Multimed.run(
                    "quickstart",
                    "--engine",
                    engine,
                    "--items",
                    "1000",
                    "--ebs",
                    "1",
                    "--seconds",
                    "3",
                    "--warmup",
                    "1",
                    "--clients",
                    "10",
                    "--state",
                    state.path().toString(),
                    "--json",
                    json.toString(),
                    "--html",
                    html.toString());
            assertThat(exit).isZero();
            JsonNode figures = new ObjectMapper().readTree(json.toFile());
            assertThat(figures.get("errors").asLong()).isZero();
            assertThat(figures.get("wips").asDouble()).isPositive();
            assertThat(figures.get("ratio").get("median").asDouble()).isPositive();
            assertThat(figures.get("interactions").get("home").get("count").asLong())
                    .isPositive();
            assertThat(figures.get("targets")).hasSize(2);
            assertThat(Files.readString(html)).contains("<svg", "Best Sellers");
            assertThat(state.inMemory("satellite-1")).doesNotExist();
        } finally {
            StateFolder.remove(state.path());
        }
    }

    @ParameterizedTest
    @EachEngine
    void shouldLoadAndRunTpcwOnAPlainEngineThatItStarts(String engine) throws Exception {
        StateFolder state = StateFolder.temporary("multimed-plain-");
        try {
            assertThat(tpcw("load", engine, state)).isZero();
            assertThat(tpcw("load", engine, state, "--if-needed")).isZero(); // it is there for the next command
            assertThat(tpcw("run", engine, state, "--clients", "4", "--seconds", "1", "--warmup", "0"))
                    .isZero();
        } finally {
            StateFolder.remove(state.path());
        }
    }

    private static int tpcw(String command, String engine, StateFolder state, String... more) {
        String path = state.path().toString();
        List<String> line = new ArrayList<>(
                List.of("tpcw", command, "--engine", engine, "--items", "1000", "--ebs", "1", "--state", path));
        line.addAll(List.of(more));
        return Multimed.run(line.toArray(new String[0]));
    }

    @Test
    void shouldTellWrongModelsFromRightOnes() throws Exception {
        Path right = Files.writeString(folder.resolve("right.yaml"), "nodes:\n- {name: m, role: master}\n");
        Path wrong = Files.writeString(folder.resolve("wrong.yaml"), "nodes:\n- {name: m, role: queen}\n");
        assertThat(Multimed.run("check", "--model", right.toString())).isZero();
        assertThat(Multimed.run("check", "--model", wrong.toString())).isEqualTo(2);
        assertThat(Multimed.run("check", "--model", folder.resolve("none").toString()))
                .isEqualTo(2);
        assertThat(Multimed.run("bench", "commit", "--url", "")).isEqualTo(2);
        assertThat(Multimed.run("tpcw", "run", "--url", "localhost")).isEqualTo(2);
    }

    @ParameterizedTest
    @EachEngine
    void shouldSpeakToARunningMiddleware(String engine) throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        Path json = folder.resolve("bench.json");
        try (Cluster cluster = TestModels.start(TestModels.twoSatellites(engine), state)) {
            String url = cluster.middleware().jdbcUrl();
            assertThat(Multimed.run("sql", "--url", url, "CREATE TABLE t (a int PRIMARY KEY)"))
                    .isZero();
            assertThat(Multimed.run("sql", "--url", url, "--read-only", "SELECT * FROM t"))
                    .isZero();
            assertThat(Multimed.run("sql", "--url", url, "SELECT * FROM nowhere"))
                    .isEqualTo(1);
            assertThat(Multimed.run("status", "--url", url, "--json")).isZero();
            assertThat(Multimed.run(
                            "bench",
                            "commit",
                            "--url",
                            url,
                            "--clients",
                            "4",
                            "--seconds",
                            "1",
                            "--warmup",
                            "0",
                            "--rounds",
                            "1",
                            "--rows",
                            "100",
                            "--json",
                            json.toString()))
                    .isZero();
            assertThat(new ObjectMapper()
                            .readTree(json.toFile())
                            .get("targets")
                            .get(0)
                            .get("rate")
                            .asDouble())
                    .isPositive();
            Path history = folder.resolve("history");
            assertThat(Multimed.run(
                            "history", "--url", url, "--seconds", "1", "--clients", "4", "--out", history.toString()))
                    .isZero();
            assertThat(Multimed.run("history", "--check", history.toString())).isZero();
        } finally {
            state.discard();
        }
    }
}
