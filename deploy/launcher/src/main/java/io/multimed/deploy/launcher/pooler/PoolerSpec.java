// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.pooler;

import io.multimed.deploy.launcher.RunningEngine;
import java.nio.file.Path;

/**
 * What a pooler is started for.
 *
 * @param engine the engine behind the pooler; its node has a port
 * @param database the database for clients; its name consists of letters, which no settings have to quote
 * @param port port on loopback for clients
 * @param clients number of clients that the pooler should accept
 * @param pool connections to the engine, if the pooler shares connections among clients
 * @param engineConnections connections that the engine leaves to a pooler that has one for each client
 */
public record PoolerSpec(
        RunningEngine engine, String database, int port, int clients, int pool, int engineConnections) {
    /** Returns the host of the engine: the folder of its Unix-domain socket, or else loopback. */
    public String host() {
        return engine.socket().map(Path::getParent).map(Path::toString).orElse("127.0.0.1");
    }
}
