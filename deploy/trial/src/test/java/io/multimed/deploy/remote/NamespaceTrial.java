// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.remote;

import io.multimed.model.ExternalConnection;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the scenarios in a network namespace of its own, with the satellite in another one. A program, because a process
 * cannot leave its namespace.
 */
final class NamespaceTrial {
    private NamespaceTrial() {}

    /** @param arguments kind of the engine */
    public static void main(String[] arguments) throws Exception {
        String kind = arguments[0];
        List<String> command =
                Namespace.beside(NamespaceTest.java(RemoteEngine.class, List.of(kind, NamespaceNetwork.FAR)));
        try (RemoteEngine.Control engine = new RemoteEngine.Control(new ArrayList<>(command));
                NamespaceNetwork network = new NamespaceNetwork(engine)) {
            ExternalConnection far = engine.start();
            try (RemoteCluster cluster = new RemoteCluster(kind, far)) {
                RemoteScenario scenario = new RemoteScenario(cluster, network, far);
                scenario.disturb();
                scenario.separate();
                scenario.separateDuringReads();
                System.out.println("all copies are equal");
            }
        }
    }
}
