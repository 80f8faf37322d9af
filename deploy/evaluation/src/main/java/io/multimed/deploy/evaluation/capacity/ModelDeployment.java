// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.model.NodeSpec;
import io.multimed.model.Source;
import io.multimed.model.SystemModel;
import io.multimed.model.value.CoreSet;
import java.util.BitSet;
import java.util.List;

/** Reads off a System Model which cores run which part. */
final class ModelDeployment {
    private ModelDeployment() {}

    /**
     * Returns the deployment of a model. The middleware has the cores that no node of its machine names. All parts
     * share all cores if a node names none, if nodes have cores in common, or if no core is left for the middleware.
     * An external node has as many cores as this machine, because the model does not say how many it has.
     *
     * @param machine cores of the machine
     * @param localClients whether the clients run on the machine, too
     */
    static Deployment of(SystemModel model, int machine, boolean localClients) {
        BitSet used = new BitSet();
        for (NodeSpec node : model.nodes()) {
            if (node.program().source() != Source.EXTERNAL) {
                BitSet own = node.cores().onMachine(machine).cores();
                if (own.isEmpty() || own.intersects(used)) {
                    return Deployment.shared(machine, localClients ? machine : 0);
                }
                used.or(own);
            }
        }
        int left = machine - used.cardinality();
        if (left < 1) {
            return Deployment.shared(machine, localClients ? machine : 0);
        }
        List<Integer> satellites =
                model.satellites().stream().map(node -> cores(node, machine)).toList();
        return new Deployment(
                0,
                left,
                cores(model.master(), machine),
                satellites.isEmpty() ? List.of(cores(model.master(), machine)) : satellites,
                0);
    }

    private static int cores(NodeSpec node, int machine) {
        CoreSet own = node.cores();
        return node.program().source() == Source.EXTERNAL || own.isAll()
                ? machine
                : own.onMachine(machine).cores().cardinality();
    }

    /** Describes the deployment. */
    static String describe(Deployment deployment, SystemModel model) {
        if (deployment.isShared()) {
            return "%d cores, shared by the middleware and all nodes%s"
                    .formatted(deployment.pool(), deployment.clientMachine() > 0 ? ", and by the clients" : "");
        }
        return "middleware %d cores, master %d, satellites %s%s"
                .formatted(
                        deployment.middleware(),
                        deployment.master(),
                        deployment.satellites(),
                        model.nodes().stream().anyMatch(node -> node.program().source() == Source.EXTERNAL)
                                ? " (external nodes: as many cores as --cores, which the model does not say)"
                                : "");
    }
}
