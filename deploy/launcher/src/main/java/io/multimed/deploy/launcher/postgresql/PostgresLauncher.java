// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.postgresql;

import io.multimed.deploy.launcher.EngineLauncher;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.ServerHome;
import io.multimed.deploy.launcher.ServerProgram;
import io.multimed.deploy.launcher.ServerUser;
import io.multimed.deploy.launcher.pooler.Pooler;
import io.multimed.model.NodeSpec;
import java.util.List;
import java.util.Map;

/** Starts PostgreSQL servers, from binaries that Multimed ships or an installation. */
public final class PostgresLauncher implements EngineLauncher {
    @Override
    public String engine() {
        return "postgresql";
    }

    @Override
    public boolean isEmbedded() {
        return true;
    }

    @Override
    public String serverName() {
        return "postgres";
    }

    @Override
    public ServerUser user() {
        return ServerUser.preferring("postgres");
    }

    @Override
    public ServerProgram program(NodeSpec node, ServerHome home) {
        return new PostgresProgram(home, PostgresBinaries.of(node), Map.of());
    }

    /** A standby that is away for so long that the limit is exceeded is made again. */
    @Override
    public ServerProgram primary(NodeSpec node, ServerHome home) {
        return new PostgresProgram(home, PostgresBinaries.of(node), Map.of("max_slot_wal_keep_size", "4GB"));
    }

    @Override
    public ServerProgram standby(NodeSpec node, ServerHome home, RunningEngine primary) {
        return new PostgresStandby(home, new PostgresProgram(home, PostgresBinaries.of(node), Map.of()), primary);
    }

    @Override
    public List<Pooler> poolers() {
        return List.of(new PgBouncer(), new Pgpool());
    }
}
