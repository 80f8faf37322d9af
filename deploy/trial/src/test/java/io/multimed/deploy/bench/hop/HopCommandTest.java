// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.multimed.deploy.Multimed;
import io.multimed.deploy.bench.BenchCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tests the command on a small cluster, and what it says after mistakes. */
@Tag("exhaustive")
@Timeout(180)
class HopCommandTest {
    @TempDir
    private Path folder;

    /** Runs the command and returns its exit code and its output. */
    private static String run(List<String> arguments) {
        StringWriter printed = new StringWriter();
        PrintWriter writer = new PrintWriter(printed);
        CommandLine bench = new CommandLine(new BenchCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(writer)
                .setErr(writer)
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    writer.println(failure.getMessage());
                    return failure instanceof IllegalArgumentException ? 2 : 1;
                });
        List<String> line = new ArrayList<>(List.of("hop"));
        line.addAll(arguments);
        return bench.execute(line.toArray(String[]::new)) + " " + printed;
    }

    /** Poolers that are not installed are skipped, and the output says so. */
    @Test
    void shouldMeasureAllWaysThatAreThere() throws Exception {
        Path json = folder.resolve("hop.json");
        Path html = folder.resolve("hop.html");
        String output = run(List.of(
                "--clients=6",
                "--in-flight=2",
                "--operations=READ,UPDATES3,EMPTY",
                "--seconds=0.1",
                "--warmup=0",
                "--rounds=1",
                "--rows=100",
                "--satellites=0",
                "--json=" + json,
                "--html=" + html));
        assertThat(output).startsWith("0 ").contains("direct", "multimed", "per second");
        JsonNode figures = new ObjectMapper().readTree(json.toFile());
        List<String> measured = new ArrayList<>();
        for (JsonNode result : figures.get("results")) {
            assertThat(result.get("rate").asDouble()).as("%s", result).isPositive();
            assertThat(result.get("errors").asInt()).as("%s", result).isZero();
            assertThat(result.get("in_flight").asInt())
                    .isEqualTo(Math.min(2, result.get("clients").asInt()));
            measured.add(result.get("target").asText());
        }
        assertThat(measured).contains("direct", "multimed");
        assertThat(measured.contains("pgbouncer")).isNotEqualTo(output.contains("SKIPPED: PgBouncer"));
        assertThat(measured.contains("pgpool")).isNotEqualTo(output.contains("SKIPPED: Pgpool-II"));
        assertThat(html).content().contains("<svg");
    }

    /** The first target is the base of the ratios. */
    @Test
    void shouldMeasureTheCostOfSecurity() throws Exception {
        Path json = folder.resolve("secured.json");
        String output = run(List.of(
                "--clients=2",
                "--operations=READ,COMMIT,READ100",
                "--targets=multimed,tls,role,direct",
                "--seconds=1",
                "--warmup=0",
                "--rounds=1",
                "--rows=1000",
                "--satellites=1",
                "--json=" + json));
        assertThat(output).startsWith("0 ").contains("ratios to multimed,");
        List<String> measured = new ArrayList<>();
        for (JsonNode result : new ObjectMapper().readTree(json.toFile()).get("results")) {
            assertThat(result.get("rate").asDouble()).as("%s", result).isPositive();
            assertThat(result.get("errors").asInt()).as("%s", result).isZero();
            measured.add(result.get("target").asText());
        }
        assertThat(measured).hasSize(12).startsWith("multimed", "tls", "role", "direct");
    }

    @Test
    void shouldExplainMistakesBeforeItStartsAnything() throws Exception {
        assertThat(run(List.of("--targets=pgbounce")))
                .startsWith("2 pgbounce is not known")
                .contains("pgbouncer");
        assertThat(run(List.of("--program=pgpool=" + folder.resolve("none"))))
                .startsWith("1 pgpool: ")
                .contains("is not a program", "pgpool2");
        Path other = Files.writeString(folder.resolve("other"), "#!/bin/sh\necho none\n");
        assertThat(other.toFile().setExecutable(true)).isTrue();
        assertThat(run(List.of("--program=pgpool=" + other))).contains("--version does not report a version");
        assertThat(run(List.of("--clients=1,2000000", "--rows=3000000")))
                .startsWith("2 --clients 2000000: each client needs an open file")
                .contains("ulimit -n");
        assertThat(run(List.of("--json=/nowhere/x.json"))).startsWith("2 --json /nowhere/x.json");
        assertThat(run(List.of("--targets=direct,multimed", "--state=/nowhere")))
                .startsWith("1 --state /nowhere: this folder cannot be used");
        assertThat(run(List.of("--clients=many"))).startsWith("2 Invalid value");
    }

    @Test
    void shouldAskForAnOperationOrTheSubcommand() {
        assertThat(Multimed.run("bench")).isEqualTo(2);
    }
}
