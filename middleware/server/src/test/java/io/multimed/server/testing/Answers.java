// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.MultimedConnection;
import java.sql.Connection;
import java.sql.SQLException;

/** Compares what clients of a cluster read with what the master returns, in read-write and in read-only sessions. */
public final class Answers {
    private Answers() {}

    /** How a query is answered. */
    @FunctionalInterface
    private interface Answering {
        String answer(Connection connection, String query) throws SQLException;
    }

    /** Asserts that queries return the master's rows, and the node that runs them. An error is a failure. */
    public static void assertRows(TestCluster cluster, String node, String... queries) throws SQLException {
        assertSame(cluster, node, Answers::rows, queries);
    }

    /** Asserts that queries return the master's rows, or fail with its SQLState, and the node that answers. */
    public static void assertRowsOrError(TestCluster cluster, String node, String... queries) throws SQLException {
        assertSame(cluster, node, Answers::rowsOrError, queries);
    }

    private static void assertSame(TestCluster cluster, String node, Answering answering, String... queries)
            throws SQLException {
        cluster.awaitApplied();
        try (Connection client = cluster.connect();
                Connection master = cluster.direct("master")) {
            for (String query : queries) {
                for (boolean isReadOnly : new boolean[] {false, true}) {
                    client.setReadOnly(isReadOnly);
                    assertThat(answering.answer(client, query)).as(query).isEqualTo(answering.answer(master, query));
                    String why = client.unwrap(MultimedConnection.class).why();
                    assertThat(Sql.node(client)).as("%s: %s", query, why).isEqualTo(node);
                }
            }
        }
    }

    private static String rows(Connection connection, String query) throws SQLException {
        return Sql.rows(connection, query).toString();
    }

    private static String rowsOrError(Connection connection, String query) {
        try {
            return rows(connection, query);
        } catch (SQLException e) {
            return e.getSQLState();
        }
    }
}
