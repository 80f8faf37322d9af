// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import java.nio.file.Path;

/**
 * The engines of a comparison.
 *
 * @param engine name of the engine
 * @param satellites number of Multimed's satellites
 * @param pool connections to each engine that the clients of Multimed, or of a pooler with shared connections, use
 * @param maxConnections connections that the master accepts
 * @param secured whether the middleware has users and a certificate, which are optional for clients
 * @param parent folder in which the folder of the data is created
 */
public record HopSetup(String engine, int satellites, int pool, int maxConnections, boolean secured, Path parent) {
    /** @throws IllegalArgumentException if a number is out of range; the message names the option */
    public HopSetup {
        if (satellites < 0) {
            throw new IllegalArgumentException("--satellites must not be negative");
        }
        if (pool < 1) {
            throw new IllegalArgumentException("--pool must be at least 1");
        }
        if (maxConnections < 2 * pool + 100) {
            throw new IllegalArgumentException(
                    "--max-connections must be at least %d, for the pool and for administration"
                            .formatted(2 * pool + 100));
        }
    }
}
