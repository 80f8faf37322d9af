// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.zones;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.model.SystemModel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Dates and times of all classes are written and read as with the engine's own driver, while the client, the middleware
 * and the engine have three different time zones.
 */
@Tag("exhaustive")
@Timeout(600)
class ThreeZonesTest {
    private static final TimeZone USUAL = TimeZone.getDefault();

    private static final String MODEL = """
            engine: postgresql
            listen: {port: 0}
            database: shop
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m, settings: {timezone: Pacific/Apia}}
            - {name: satellite, role: satellite, memory: 128m, settings: {timezone: Pacific/Apia}}
            """;

    private static final StateFolder STATE = StateFolder.temporary("multimed-zones-");
    private static final StateFolder PLAIN_STATE = StateFolder.temporary("multimed-zones-");
    private static RunningEngine plain;
    private static Cluster cluster;

    @BeforeAll
    static void start() throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
        SystemModel model = SystemModel.parse(MODEL, "test");
        plain = Launchers.start(model.nodes().get(0), model.database(), PLAIN_STATE);
        cluster = Cluster.start(model, STATE, step -> {});
        cluster.awaitSatellites();
    }

    @AfterAll
    static void stop() {
        cluster.close();
        plain.close();
        STATE.discard();
        PLAIN_STATE.discard();
        TimeZone.setDefault(USUAL);
    }

    @ParameterizedTest
    @CsvSource({"America/New_York, America/New_York", "Europe/Amsterdam, Africa/Monrovia"})
    void shouldWriteAndReadAsTheEnginesOwnDriver(String zone, String zoneOnceConnected) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Duser.timezone=" + zone,
                "-Dmultimed.test.exhaustive=" + Boolean.getBoolean("multimed.test.exhaustive"),
                "-cp",
                System.getProperty("java.class.path"),
                ZoneClient.class.getName(),
                plain.jdbcUrl(),
                cluster.middleware().jdbcUrl(),
                plain.user(),
                plain.password(),
                zoneOnceConnected));
        Process client = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String said = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            List<String> lines = said.lines().toList();
            assertThat(client.waitFor()).as(said).isZero();
            assertThat(lines).last().asString().startsWith("compared ");
            assertThat(Integer.parseInt(lines.get(lines.size() - 1).substring("compared ".length())))
                    .isGreaterThan(3_000);
            assertThat(lines.subList(0, lines.size() - 1)).isEmpty();
        } finally {
            client.destroyForcibly();
        }
    }
}
