// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.archive;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.Multimed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checks the unit of systemd against the archive, and by systemd's own checker where that is installed. */
@Timeout(300)
class ServiceIT {
    /** Seconds that an orderly stop may take, with the default of listen.shutdown-wait. */
    private static final int ORDERLY_STOP = 70;

    private static String unit() throws IOException {
        return Files.readString(Path.of("../systemd/multimed.service"));
    }

    private static String value(String key) throws IOException {
        List<String> values = Pattern.compile("(?m)^" + key + "=(.*)$")
                .matcher(unit())
                .results()
                .map((MatchResult line) -> line.group(1))
                .toList();
        assertThat(values).as(key).hasSize(1);
        return values.get(0);
    }

    @Test
    void shouldStartACommandOfTheArchiveAndWaitForItsEnd() throws Exception {
        String[] command = value("ExecStart").split(" ", -1);
        try (Installation fresh = Installation.unpack()) {
            assertThat(command[0]).startsWith("/opt/multimed/");
            assertThat(fresh.file(command[0].substring("/opt/multimed/".length())))
                    .isExecutable();
            assertThat(fresh.file(value("Documentation").substring("file:/opt/multimed/".length())))
                    .exists();
        }
        List<String> arguments = List.of(command).subList(1, command.length);
        assertThat(Multimed.commandLine()
                        .parseArgs(arguments.toArray(String[]::new))
                        .subcommand()
                        .matchedOptions())
                .hasSize(2);
        assertThat(Integer.parseInt(value("TimeoutStopSec"))).isGreaterThan(ORDERLY_STOP);
        assertThat(value("SuccessExitStatus")).isEqualTo("143");
    }

    @Test
    void shouldPassTheCheckOfSystemd() throws Exception {
        if (!Files.isExecutable(Path.of("/usr/bin/systemd-analyze"))) {
            System.err.println("SKIPPED: the unit is not checked by systemd-analyze, which is not installed");
            return;
        }
        try (Installation fresh = Installation.unpack()) {
            String here = unit().replace("/opt/multimed/bin/", fresh.file("bin") + "/");
            Path copy = Files.writeString(fresh.folder().resolve("multimed.service"), here);
            String result = fresh.run(List.of("systemd-analyze", "verify", "--man=no", copy.toString()));
            assertThat(result).startsWith("0 ");
            // The checker also reads the other units of the machine; its warnings about them do not count.
            List<String> ours = result.lines()
                    .filter((String line) -> line.contains("multimed.service"))
                    .toList();
            assertThat(ours).isEmpty();
        }
    }
}
