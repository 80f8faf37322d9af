// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import io.multimed.model.value.CoreSet;
import io.multimed.protocol.session.Route;
import io.multimed.server.dispatcher.routing.FreshnessPolicy;
import io.multimed.server.dispatcher.routing.ReadTarget;
import io.multimed.server.dispatcher.routing.SatelliteRequest;
import io.multimed.server.dispatcher.routing.SatelliteSelector;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.NodeState;
import io.multimed.server.propagation.replication.ReadCandidate;
import io.multimed.server.propagation.replication.ReadDemand;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The choice of a satellite for a read (architecture 4.1). The nodes have no engines. */
@State(Scope.Thread)
public class SelectorBenchmark extends MultimedBenchmark {
    private static final Set<String> TABLES = Set.of("item", "author");

    @Param({"1", "2", "8"})
    public int satellites;

    private final CriticalThreads threads = new CriticalThreads();
    private final List<ComputationalNode> nodes = new ArrayList<>();
    private final List<Satellite> candidates = new ArrayList<>();
    private final SatelliteSelector selector = new SatelliteSelector(
            node("master"),
            () -> candidates,
            named -> null,
            new ReadDemand(() -> {}),
            new FreshnessPolicy(TimeUnit.HOURS.toMillis(1), true),
            () -> true,
            threads);

    private ComputationalNode node(String name) {
        ComputationalNode node = new ComputationalNode(
                name, nodes.size(), CoreSet.ALL, AnyEngine.find(), 2, new MemoryBudget(1 << 20), threads);
        node.setState(NodeState.ONLINE, null);
        nodes.add(node);
        return node;
    }

    @Setup
    public void start() {
        for (int i = 1; i <= satellites; i++) {
            candidates.add(new Satellite(node("satellite-" + i)));
        }
        selector.start();
    }

    @TearDown
    public void close() {
        selector.close();
        nodes.forEach(ComputationalNode::close);
    }

    /** All satellites have applied the needed SCN. */
    @Benchmark
    public ComputationalNode fresh() {
        Read read = new Read(candidates.get(0).applied);
        selector.route(read);
        return read.node();
    }

    /** The read has to wait, and continues when the first satellite has applied the needed SCN. */
    @Benchmark
    public ComputationalNode woken() {
        Satellite first = candidates.get(0);
        Scn needed = first.applied.next();
        Read read = new Read(needed);
        selector.route(read);
        first.applied = needed;
        selector.advanced(first);
        return read.node();
    }

    private static final class Satellite implements ReadCandidate {
        private final ComputationalNode node;
        private volatile Scn applied = Scn.ZERO;

        Satellite(ComputationalNode node) {
            this.node = node;
        }

        @Override
        public ComputationalNode node() {
            return node;
        }

        @Override
        public ReplicatedTables tables() {
            return ReplicatedTables.ALL;
        }

        @Override
        public boolean serves(String className) {
            return true;
        }

        @Override
        public Scn applied() {
            return applied;
        }
    }

    private static final class Read extends SatelliteRequest {
        private @Nullable ComputationalNode bound;

        Read(Scn needed) {
            super(needed, needed, new ReadTarget(TABLES, null, "default"), null);
        }

        @Override
        protected void bind(ComputationalNode node, Route why) {
            bound = node;
        }

        @Override
        protected void fail(SQLException cause) {
            throw new IllegalStateException("the read failed", cause);
        }

        ComputationalNode node() {
            if (bound == null) {
                throw new IllegalStateException("the read still waits");
            }
            return bound;
        }
    }
}
