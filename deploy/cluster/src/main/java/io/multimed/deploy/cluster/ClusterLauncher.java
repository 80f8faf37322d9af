// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.cluster;

import io.multimed.deploy.launcher.BinaryCache;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.StateLock;
import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.embedded.ModelLauncher;
import io.multimed.model.SystemModel;
import io.multimed.server.Middleware;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;

/** Starts engines for dispatchers within applications. One process at a time uses a folder with data of engines. */
public final class ClusterLauncher implements ModelLauncher {
    @Override
    public Launched launch(SystemModel model, String cached) throws SQLException, IOException {
        try {
            Path folder = cached.isEmpty() ? DefaultStateFolder.of(null, model.database()) : BinaryCache.place(cached);
            StateFolder state = StateFolder.lasting(folder);
            return launch(model, state, StateLock.take(state));
        } catch (EngineException e) {
            throw new SQLException(e.getMessage(), "08001", e);
        }
    }

    private static Launched launch(SystemModel model, StateFolder state, StateLock lock)
            throws SQLException, IOException {
        Cluster started = null;
        try {
            started = Cluster.startEmbedded(model, state);
            return new Locked(started, lock);
        } finally {
            if (started == null) {
                lock.close();
            }
        }
    }

    private record Locked(Cluster cluster, StateLock lock) implements Launched {
        @Override
        public Middleware middleware() {
            return cluster.middleware();
        }

        @Override
        public void close() {
            try {
                cluster.close();
            } finally {
                lock.close();
            }
        }
    }
}
