// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.listen;

import io.multimed.model.yaml.YamlSection;

/**
 * The port for monitoring systems.
 *
 * @param port TCP port; 0 for a free one
 */
public record Monitoring(String host, int port) {
    public static final int DEFAULT_PORT = 7412;

    public static Monitoring read(YamlSection section) {
        Monitoring monitoring =
                new Monitoring(section.text("host", "127.0.0.1"), section.number("port", DEFAULT_PORT, 0, 65_535));
        section.finish();
        return monitoring;
    }
}
