// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.listen;

import io.multimed.model.yaml.YamlSection;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * The port of the dashboard. On loopback browsers connect without encryption, elsewhere with the certificate of the
 * client port.
 *
 * @param port TCP port; 0 for a free one
 * @param names further names of this machine that browsers use
 */
public record Dashboard(String host, int port, List<String> names) {
    public static final int DEFAULT_PORT = 7413;

    public Dashboard {
        names = List.copyOf(names);
    }

    /** Reads the section; {@code listen} supplies the users and the certificate. */
    public static Dashboard read(YamlSection section, Listen listen) {
        Dashboard dashboard = new Dashboard(
                section.text("host", "127.0.0.1"),
                section.number("port", DEFAULT_PORT, 0, 65_535),
                section.texts("names"));
        check(section, dashboard, listen);
        section.finish();
        return dashboard;
    }

    private static void check(YamlSection section, Dashboard dashboard, Listen listen) {
        if (dashboard.port != 0 && dashboard.port == listen.port()) {
            section.problem("port", dashboard.port + " is also listen.port", "choose another port");
        }
        try {
            if (dashboard.isLocal()) {
                return;
            }
            if (listen.users().isEmpty() && listen.usersFile() == null) {
                section.problem(
                        "host",
                        dashboard.host + " is reachable from other machines, and browsers need no password",
                        "define listen.users or listen.users-file, or use 127.0.0.1");
            }
            if (listen.tls() == null) {
                section.problem(
                        "host",
                        dashboard.host + " is reachable from other machines, and nothing encrypts the passwords",
                        "define listen.tls, or use 127.0.0.1 behind a tunnel or a proxy that encrypts");
            }
        } catch (UnknownHostException e) {
            section.problem(
                    "host",
                    "\"%s\" is not an address of this machine".formatted(dashboard.host),
                    "use for example 127.0.0.1");
        }
    }

    /**
     * Returns whether only this machine reaches the port.
     *
     * @throws UnknownHostException if the host is no address
     */
    public boolean isLocal() throws UnknownHostException {
        return InetAddress.getByName(host).isLoopbackAddress();
    }
}
