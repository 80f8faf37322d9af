// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Reads of several clients that run at the same time on a cluster with one satellite. */
public final class SharedReads {
    private final TestCluster cluster;
    private final int clients;

    public SharedReads(TestCluster cluster, int clients) {
        this.cluster = cluster;
        this.clients = clients;
    }

    /** As {@link ParallelClients#execute}. */
    public void inParallel(String sql, int rounds, ParallelClients.Execution execution) throws Exception {
        ParallelClients.execute(cluster, clients, sql, rounds, execution);
    }

    /** Repeats the work until reads have run together: on a busy machine they may be too slow to do so at first. */
    public void untilShared(String sql, int rounds, ParallelClients.Execution execution) throws Exception {
        long before = status("shared_reads");
        do {
            inParallel(sql, rounds, execution);
        } while (status("shared_reads") == before);
    }

    /** Returns a number in the satellite's row of the status. */
    public long status(String column) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
            while (nodes.next()) {
                if (nodes.getString("role").equals("satellite")) {
                    return nodes.getLong(column);
                }
            }
        }
        throw new IllegalStateException("there is no satellite");
    }
}
