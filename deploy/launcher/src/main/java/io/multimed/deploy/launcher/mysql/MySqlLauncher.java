// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.mysql;

import io.multimed.deploy.launcher.EngineLauncher;
import io.multimed.deploy.launcher.ServerHome;
import io.multimed.deploy.launcher.ServerProgram;
import io.multimed.deploy.launcher.ServerUser;
import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.deploy.launcher.mysqlfamily.FamilyProgram;
import io.multimed.deploy.launcher.mysqlfamily.Installation;
import io.multimed.model.NodeSpec;
import java.nio.file.Path;
import java.util.List;

/** Starts MySQL servers, from an installation only: Multimed ships no binaries of MySQL. */
public final class MySqlLauncher implements EngineLauncher {
    @Override
    public String engine() {
        return "mysql";
    }

    @Override
    public boolean isEmbedded() {
        return false;
    }

    @Override
    public String serverName() {
        return "mysqld";
    }

    @Override
    public ServerUser user() {
        return ServerUser.preferring("mysql");
    }

    @Override
    public ServerProgram program(NodeSpec node, ServerHome home) {
        Path folder = node.program()
                .installation()
                .map(Path::of)
                .orElseThrow(() -> new EngineException(
                        "%s: Multimed does not ship MySQL: use source: installed".formatted(node.name())));
        return new FamilyProgram(home, Installation.find(node.name(), folder, List.of(serverName())), new MySql());
    }
}
