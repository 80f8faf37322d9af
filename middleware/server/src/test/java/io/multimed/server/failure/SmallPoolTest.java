// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import io.multimed.server.testing.TestCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;

/**
 * Base of tests for each engine on one master with few connections, so that connections that a client leaves pinned or
 * changed are noticed, and one satellite. A test class starts the cluster; each test begins without pinned clients.
 */
public abstract class SmallPoolTest {
    protected static TestCluster cluster;

    /**
     * Starts the cluster with the tables and data of the test class.
     *
     * @param pool connections to the master
     */
    protected static void start(String engine, int pool, String... statements) throws Exception {
        cluster = TestCluster.withSmallPool(engine, pool);
        cluster.run(statements);
    }

    @AfterParameterizedClassInvocation
    protected static void stop() {
        cluster.close();
    }

    @BeforeEach
    protected void awaitTheEndOfTheClientsBefore() {
        cluster.awaitUnpinned();
    }
}
