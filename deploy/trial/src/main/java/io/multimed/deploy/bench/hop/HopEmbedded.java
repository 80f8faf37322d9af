// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.embedded.EmbeddedUrl;
import io.multimed.model.ModelException;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import io.multimed.tpcw.run.Target;
import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A second temporary cluster, with the same nodes, whose dispatcher runs in the process of the clients. While other
 * ways are measured, the cluster has nothing to do.
 */
final class HopEmbedded implements AutoCloseable {
    /** The name for options and figures. */
    static final String EMBEDDED = "embedded";

    private final StateFolder state;
    private final Cluster cluster;
    private final EmbeddedUrl url;
    private final Map<Long, String> roots = new LinkedHashMap<>();

    HopEmbedded(HopSetup setup, int clients) throws SQLException, IOException, ModelException, InterruptedException {
        this.state = StateFolder.temporary(setup.parent(), "multimed-hop-");
        try {
            SystemModel model = SystemModel.parse(HopCluster.model(setup, clients, ""), EMBEDDED);
            this.cluster = Cluster.start(model, state, step -> {});
        } catch (SQLException | IOException | ModelException | RuntimeException e) {
            state.discard();
            throw e;
        }
        this.url = new EmbeddedUrl(cluster.middleware());
        roots.put(ProcessHandle.current().pid(), HopCluster.CLIENT);
        for (NodeSpec node : cluster.middleware().model().nodes()) {
            boolean master = node.name().equals(HopCluster.MASTER);
            roots.put(cluster.engine(node.name()).pid(), master ? HopCluster.MASTER : HopCluster.SATELLITES);
        }
        boolean ready = false;
        try {
            cluster.awaitSatellites();
            ready = true;
        } finally {
            if (!ready) {
                close();
            }
        }
    }

    HopTarget target() {
        return HopTarget.lasting(new Target(EMBEDDED, url.jdbcUrl(), "", ""), roots);
    }

    @Override
    public void close() {
        url.close();
        cluster.close();
        state.discard();
    }
}
