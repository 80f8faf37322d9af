// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.mariadb;

import io.multimed.deploy.launcher.EngineLauncher;
import io.multimed.deploy.launcher.ServerHome;
import io.multimed.deploy.launcher.ServerProgram;
import io.multimed.deploy.launcher.ServerUser;
import io.multimed.deploy.launcher.mysqlfamily.FamilyProgram;
import io.multimed.deploy.launcher.mysqlfamily.Installation;
import io.multimed.model.NodeSpec;
import java.nio.file.Path;
import java.util.List;

/** Starts MariaDB servers, from binaries that Multimed ships or an installation. */
public final class MariaDbLauncher implements EngineLauncher {
    private static final List<String> SERVERS = List.of("mariadbd", "mysqld");

    @Override
    public String engine() {
        return "mariadb";
    }

    @Override
    public boolean isEmbedded() {
        return true;
    }

    @Override
    public String serverName() {
        return SERVERS.get(0);
    }

    @Override
    public ServerUser user() {
        return ServerUser.preferring("mysql");
    }

    @Override
    public ServerProgram program(NodeSpec node, ServerHome home) {
        Path folder = node.program().installation().map(Path::of).orElseGet(MariaDbBinaries::embedded);
        return new FamilyProgram(home, Installation.find(node.name(), folder, SERVERS), new MariaDb());
    }
}
