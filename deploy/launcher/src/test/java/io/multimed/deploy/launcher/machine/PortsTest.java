// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.machine;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Scanner;
import org.junit.jupiter.api.Test;

/** A server's port is none that an outgoing connection may have meanwhile. */
class PortsTest {
    @Test
    void shouldLieBelowThoseOfOutgoingConnections() throws IOException {
        try (Scanner outgoing = new Scanner(Path.of("/proc/sys/net/ipv4/ip_local_port_range"), US_ASCII)) {
            int first = outgoing.nextInt();
            assumeTrue(first >= 11_000, "NOT TESTED: this system gives nearly all ports to outgoing connections");
            for (int i = 0; i < 100; i++) {
                assertThat(Ports.free()).isBetween(10_000, first - 1);
            }
        }
    }
}
