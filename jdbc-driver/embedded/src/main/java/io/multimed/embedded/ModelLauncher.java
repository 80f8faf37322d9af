// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.embedded;

import io.multimed.model.SystemModel;
import io.multimed.server.Middleware;
import java.io.IOException;
import java.sql.SQLException;

/**
 * Starts the engines of a System Model on this machine, and its dispatcher in this process. Provided by {@code
 * io.multimed:multimed-cluster}: models whose nodes are all external do not need it.
 */
public interface ModelLauncher {
    /** A dispatcher with its engines. */
    interface Launched extends AutoCloseable {
        /** Returns the dispatcher, which has no port. */
        Middleware middleware();

        /** Stops the dispatcher, then the engines. */
        @Override
        void close();
    }

    /**
     * Starts the engines and the dispatcher.
     *
     * @param cached the name of a folder, in the user's cache, in which the engines keep their data; empty for the
     *     folder in which {@code multimed up} keeps them
     * @throws SQLException 08001 if an engine does not start
     * @throws IOException if the dispatcher does not start
     */
    Launched launch(SystemModel model, String cached) throws SQLException, IOException;
}
