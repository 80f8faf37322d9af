// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import io.multimed.model.value.CoreSet;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A process that starts an engine, prints the process id of the engine, and waits until the process is killed. */
final class EngineStarterProcess {
    private EngineStarterProcess() {}

    public static void main(String[] arguments) throws InterruptedException {
        RunningEngine engine = Launchers.start(
                NodeSpec.embedded("m", Role.MASTER, arguments[0], CoreSet.ALL, Storage.DISK),
                "shop",
                StateFolder.lasting(Path.of(arguments[1])));
        System.out.println("pid " + engine.pid());
        new CountDownLatch(1).await(); // waits until the process is killed
    }
}
