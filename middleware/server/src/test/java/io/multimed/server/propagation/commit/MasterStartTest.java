// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.Engine;
import io.multimed.engine.Engines;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.model.NodeSpec;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.testing.TestCluster;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class MasterStartTest {
    /** The pool for commit groups that was opened last. */
    private ConnectionPool groupPool;

    @Test
    void shouldReleaseTheMasterIfItFails() throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(0)) {
            NodeSpec spec = cluster.middleware().model().master();
            cluster.middleware().close();
            CriticalThreads threads = new CriticalThreads();
            try (ComputationalNode node = new ComputationalNode(
                    "master", 0, spec.cores(), engineThatFails(), 4, new MemoryBudget(1_000_000), threads)) {
                assertThatThrownBy(() -> Master.start(
                                node, access(cluster), CommitPolicy.GROUPS, ReplicatedTables.ALL, 4, threads))
                        .hasMessage("no extractor");
            }
            assertThatThrownBy(() -> groupPool.getConnection().close())
                    .as("the pool is closed")
                    .isInstanceOf(SQLException.class);
            cluster.startMiddleware();
        }
    }

    private static NodeAccess access(TestCluster cluster) {
        var engine = cluster.engine("master");
        return new NodeAccess("master", engine.jdbcUrl(), engine.user(), engine.password(), engine.socket());
    }

    private Engine engineThatFails() {
        Engine real = Engines.of("postgresql");
        Class<Engine> type = Engine.class;
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, values) -> {
                    if (method.getName().equals("extractor")) {
                        throw new IllegalStateException("no extractor");
                    }
                    Object result = call(real, method, values);
                    if (method.getName().equals("groupPool")) {
                        groupPool = (ConnectionPool) result;
                    }
                    return result;
                }));
    }

    private static Object call(Engine real, Method method, Object[] values) throws Throwable {
        try {
            return method.invoke(real, values);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
