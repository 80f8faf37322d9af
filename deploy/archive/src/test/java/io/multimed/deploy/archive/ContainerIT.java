// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs the commands of the image outside of a container: those that install the archive, the command of the compose
 * file that adds a user, the command that a container runs, and its check of health. The folders of the image are below
 * a new folder, and the ports are free ones; tini, which only passes signals on, is left out.
 */
@Timeout(600)
@Tag("exhaustive")
class ContainerIT {
    private final Dockerfile image;
    private final int port;
    private final int monitoring;

    ContainerIT() throws Exception {
        image = Dockerfile.read();
        try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = one.getLocalPort();
            monitoring = other.getLocalPort();
        }
    }

    @Test
    void shouldServeUsersReportItsHealthAndStopInOrder() throws Exception {
        try (Installation fresh = Installation.unpack()) {
            install(fresh);
            Path model = fresh.folder().resolve("etc/multimed/multimed.yaml");
            Files.writeString(model, here(fresh, Files.readString(model)).replace("512m", "128m"));
            fresh.setVariable("MULTIMED_PASSWORD", "secret");
            List<String> up = command(fresh, image.command());
            List<String> addUser = List.of(up.get(0), "user", "add", "--file", users(fresh), "--administrator", "shop");
            assertThat(fresh.run(addUser)).isEqualTo("0 added shop\n");
            try (RunningUp running = RunningUp.start(fresh, up)) {
                assertThat(fresh.run(command(fresh, image.healthCheck()))).startsWith("0 ");
                String url = "jdbc:multimed://127.0.0.1:%d/multimed".formatted(port);
                assertThat(fresh.run(List.of(up.get(0), "status", "--url", url, "--user", "shop")))
                        .startsWith("0 ")
                        .contains("satellite-2", "ONLINE");
                assertThat(fresh.run(List.of(up.get(0), "status", "--url", url, "--user", "other")))
                        .startsWith("1 ")
                        .contains("28P01");
                assertThat(running.stop()).isEqualTo(143);
            }
            assertThat(fresh.run(command(fresh, image.healthCheck()))).startsWith("1 ");
        }
    }

    /** Puts the archive where ADD puts it, and runs the command of the image that makes links and copies the model. */
    private void install(Installation fresh) throws Exception {
        assertThat(image.one("ADD")).isEqualTo("deploy/archive/target/multimed-${VERSION}.tar.gz /opt/");
        fresh.unpackInto(fresh.folder().resolve("opt"));
        Files.createDirectories(fresh.folder().resolve("usr/local/bin"));
        fresh.setVariable("VERSION", image.one("ARG").replaceFirst("VERSION=", ""));
        String commands = image.all("RUN").stream()
                .filter(command -> command.contains("/opt/"))
                .findFirst()
                .orElseThrow();
        assertThat(fresh.run(List.of("sh", "-ec", here(fresh, commands)))).isEqualTo("0 ");
    }

    private static String users(Installation fresh) throws Exception {
        Path folder = Files.createDirectories(fresh.folder().resolve("var/lib/multimed"));
        assertThat(Files.readString(Path.of("../docker/compose.yaml")))
                .contains("user add --file /var/lib/multimed/users --administrator shop");
        return folder.resolve("users").toString();
    }

    private List<String> command(Installation fresh, List<String> words) {
        return words.stream()
                .filter(word -> !word.equals("tini") && !word.equals("--"))
                .map(word -> here(fresh, word))
                .toList();
    }

    /** Replaces the image's folders and ports. */
    private String here(Installation fresh, String text) {
        return text.replaceAll("(?<![\\w./-])/(opt|etc|var|usr)/", fresh.folder() + "/$1/")
                .replaceAll("\\b7411\\b", String.valueOf(port))
                .replaceAll("\\b7412\\b", String.valueOf(monitoring));
    }
}
