// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.remote;

import io.multimed.deploy.launcher.machine.EngineException;

/**
 * A cable between two network namespaces. The kernel delays and loses packets if it has netem. Otherwise a slow line
 * with a short queue loses some, and the process of the engine delays what arrives. In a partition the packets go to an
 * address that no machine has.
 */
final class NamespaceNetwork implements Network {
    static final String NEAR = "10.77.0.1";
    static final String FAR = "10.77.0.2";
    private static final String UNUSED_ADDRESS = "02:00:00:00:00:99";
    private static final String NETEM = "netem delay 5ms loss 1%";
    private static final String SHORT_QUEUE = "tbf rate 10mbit burst 2000 limit 3000";

    private final RemoteEngine.Control engine;

    /** @param engine runs in the other namespace */
    NamespaceNetwork(RemoteEngine.Control engine) {
        this.engine = engine;
        near("ip link set lo up");
        near("ip link add near type veth peer name far netns " + engine.pid());
        near("ip addr add " + NEAR + "/24 dev near");
        near("ip link set near up");
        far("ip link set lo up");
        far("ip addr add " + FAR + "/24 dev far");
        far("ip link set far up");
    }

    private static void near(String command) {
        Namespace.run(command.split(" ", -1));
    }

    private void far(String command) {
        Namespace.runIn(engine.pid(), command.split(" ", -1));
    }

    @Override
    public void disturb() {
        try {
            disturb(NETEM);
        } catch (EngineException e) {
            System.out.printf(
                    "NOT TESTED: \"%s\": %s; instead: %s, and a delay at the engine%n",
                    NETEM, e.getMessage(), SHORT_QUEUE);
            disturb(SHORT_QUEUE);
            engine.disturb();
        }
    }

    private void disturb(String discipline) {
        near("tc qdisc replace dev near root " + discipline);
        far("tc qdisc replace dev far root " + discipline);
    }

    @Override
    public void partition() {
        near("ip neigh replace " + FAR + " lladdr " + UNUSED_ADDRESS + " dev near nud permanent");
        far("ip neigh replace " + NEAR + " lladdr " + UNUSED_ADDRESS + " dev far nud permanent");
    }

    @Override
    public void heal() {
        near("ip neigh del " + FAR + " dev near");
        far("ip neigh del " + NEAR + " dev far");
    }

    @Override
    public void reset() {
        engine.reset();
    }

    /** The cable ends with the namespaces. */
    @Override
    public void close() {}
}
