// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.remote;

import io.multimed.deploy.launcher.EachEngine;
import java.net.InetAddress;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Tests a satellite on another machine, with {@code source: external}, through a network that delays, loses packets,
 * breaks connections, and separates the machines without a word.
 */
@Tag("exhaustive")
@Timeout(600)
@ParameterizedClass
@EachEngine
class RemoteSatelliteTest {
    private static RemoteEngine far;
    private static RemoteCluster cluster;
    private static RemoteScenario scenario;

    RemoteSatelliteTest(String engine) {
        // The parameter is that of start().
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        far = new RemoteEngine(engine, InetAddress.getLoopbackAddress());
        cluster = new RemoteCluster(engine, far.access());
        scenario = new RemoteScenario(cluster, far.network(), far.direct());
    }

    @AfterParameterizedClassInvocation
    static void stop() throws Exception {
        cluster.close();
        far.close();
    }

    @BeforeEach
    void awaitWhole() {
        far.network().heal(); // if a test has failed
        cluster.awaitWhole();
    }

    @Test
    void shouldAnswerFreshReadsOverADisturbedNetwork() throws Exception {
        scenario.disturb();
    }

    @Test
    void shouldCatchUpAfterAPartition() throws Exception {
        scenario.separate();
    }

    @Test
    void shouldBeCopiedAgainAfterALongPartition() throws Exception {
        scenario.separateForLong();
    }

    @Test
    void shouldAnswerReadsElsewhereThatAPartitionHasInterrupted() throws Exception {
        scenario.separateDuringReads();
    }
}
