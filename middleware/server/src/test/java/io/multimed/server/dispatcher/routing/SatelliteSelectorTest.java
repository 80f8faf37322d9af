// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.Engines;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.engine.sql.TableNames.QualifiedName;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import io.multimed.model.value.CoreSet;
import io.multimed.protocol.session.Route;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.NodeState;
import io.multimed.server.propagation.replication.ReadCandidate;
import io.multimed.server.propagation.replication.ReadDemand;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The nodes of these tests have no engine: the selection needs only their states, tables and SCNs. */
@Timeout(60)
class SatelliteSelectorTest {
    private static final long NEVER = TimeUnit.HOURS.toMillis(1);

    private final CriticalThreads threads = new CriticalThreads();
    private final List<ComputationalNode> nodes = new ArrayList<>();
    private final ComputationalNode master = node("master");
    private final List<FakeSatellite> satellites = new CopyOnWriteArrayList<>();

    /** The catalog: what the tables that a read names may stand for; nothing for unknown ones. */
    private final Map<Set<String>, Set<QualifiedName>> relations = new HashMap<>();

    private final AtomicBoolean mayAnswer = new AtomicBoolean(true);
    private @Nullable SatelliteSelector selector;

    private ComputationalNode node(String name) {
        ComputationalNode node = new ComputationalNode(
                name, nodes.size(), CoreSet.ALL, Engines.of("postgresql"), 2, new MemoryBudget(1 << 20), threads);
        node.setState(NodeState.ONLINE, null);
        nodes.add(node);
        return node;
    }

    private FakeSatellite satellite(String name, long applied) {
        return satellite(name, applied, ReplicatedTables.ALL);
    }

    private FakeSatellite satellite(String name, long applied, ReplicatedTables tables) {
        FakeSatellite satellite = new FakeSatellite(node(name), tables);
        satellite.applied = new Scn(applied);
        satellites.add(satellite);
        return satellite;
    }

    private SatelliteSelector selector(long waitMillis, boolean thenMaster) {
        SatelliteSelector created = new SatelliteSelector(
                master,
                () -> satellites,
                relations::get,
                new ReadDemand(() -> {}),
                new FreshnessPolicy(waitMillis, thenMaster),
                mayAnswer::get,
                threads);
        created.start();
        selector = created;
        return created;
    }

    @AfterEach
    void close() {
        if (selector != null) {
            selector.close();
        }
        nodes.forEach(ComputationalNode::close);
        assertThat(threads.reason()).isEmpty();
    }

    @Test
    void selectsASatelliteThatShowsTheNeededScn() {
        satellite("behind", 4);
        satellite("fresh", 5);
        SatelliteSelector selector = selector(NEVER, false);
        for (int i = 0; i < 4; i++) {
            Read read = new Read(5, Set.of("book"), null);
            selector.route(read);
            read.assertBound("fresh", Route.Reason.FRESH_SATELLITE);
        }
    }

    @Test
    void selectsASatelliteThatIsBehindOnlyIfNoneIsFresh() {
        FakeSatellite behind = satellite("behind", 4);
        satellite("fresh", 5);
        SatelliteSelector selector = selector(NEVER, false);
        for (int i = 0; i < 4; i++) {
            Read read = new Read(5, 3, null);
            selector.route(read);
            read.assertBound("fresh", Route.Reason.FRESH_SATELLITE);
        }
        Read read = new Read(6, 4, null);
        selector.route(read);
        assertThat(behind.applied()).isEqualTo(new Scn(4));
        assertThat(read.answer.join().why()).isEqualTo(Route.ACCEPTED_LAG);
        Read tooOld = new Read(7, 6, null);
        selector.route(tooOld);
        assertThat(tooOld.isPending()).isTrue();
    }

    @Test
    void selectsOnlyTheNodeOfTheRequest() {
        satellite("first", 5);
        satellite("second", 5);
        SatelliteSelector selector = selector(NEVER, false);
        for (int i = 0; i < 4; i++) {
            Read read = new Read(5, 5, "second");
            selector.route(read);
            read.assertBound("second", Route.Reason.FRESH_SATELLITE);
        }
        Read read = new Read(5, 5, "third");
        selector.route(read);
        read.assertBound("master", Route.Reason.NOT_HELD);
    }

    @Test
    void distributesReadsOverEquallyLoadedSatellites() {
        satellite("s1", 5);
        satellite("s2", 5);
        SatelliteSelector selector = selector(NEVER, false);
        Set<String> used = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            Read read = new Read(1, null, null);
            selector.route(read);
            used.add(read.node());
        }
        assertThat(used).containsExactlyInAnyOrder("s1", "s2");
    }

    @Test
    void doesNotSelectTheNodeOnWhichTheTransactionHasFailed() {
        FakeSatellite failed = satellite("failed", 5);
        satellite("other", 5);
        SatelliteSelector selector = selector(NEVER, false);
        for (int i = 0; i < 4; i++) {
            Read read = new Read(1, null, failed.node());
            selector.route(read);
            read.assertBound("other", Route.Reason.FRESH_SATELLITE);
        }
    }

    @Test
    void runsAReadOnTheMasterIfNoSatelliteIsOnline() {
        satellite("s1", 5).node().setState(NodeState.SEEDING, null);
        Read read = new Read(1, null, null);
        selector(NEVER, false).route(read);
        read.assertBound("master", Route.Reason.NO_SATELLITE);
    }

    @Test
    void runsAReadOnTheMasterIfNoSatelliteHoldsTheTable() {
        satellite("s1", 5, new ReplicatedTables(false, Set.of("author")));
        SatelliteSelector selector = selector(NEVER, false);
        Read book = new Read(1, Set.of("book"), null);
        selector.route(book);
        assertThat(book.assertBound("master", Route.Reason.NOT_HELD).detail()).isEqualTo("book");
        Read author = new Read(1, Set.of("author"), null);
        selector.route(author);
        author.assertBound("s1", Route.Reason.FRESH_SATELLITE);
        Read any = new Read(1, null, null);
        selector.route(any);
        any.assertBound("master", Route.Reason.NOT_HELD);
    }

    @Test
    void takesTheCatalogForTheTablesThatANameMayStandFor() {
        satellite("s1", 5, new ReplicatedTables(false, Set.of("sales.*", "shop.item")));
        SatelliteSelector selector = selector(NEVER, false);
        relations.put(Set.of("orders"), Set.of(new QualifiedName("Sales", "Orders")));
        relations.put(Set.of("item"), Set.of(new QualifiedName("shop", "item"), new QualifiedName("old", "item")));
        Read held = new Read(1, Set.of("orders"), null);
        selector.route(held);
        held.assertBound("s1", Route.Reason.FRESH_SATELLITE);
        Read either = new Read(1, Set.of("item"), null);
        selector.route(either);
        either.assertBound("master", Route.Reason.NOT_HELD);
        Read unknown = new Read(1, Set.of("customers"), null);
        selector.route(unknown);
        unknown.assertBound("master", Route.Reason.NOT_HELD);
        Read qualified = new Read(1, Set.of("sales.orders"), null);
        selector.route(qualified);
        qualified.assertBound("s1", Route.Reason.FRESH_SATELLITE);
    }

    @Test
    void runsAReadOnTheMasterAtOnceIfThePolicyAllowsNoWait() {
        satellite("s1", 4);
        Read read = new Read(5, null, null);
        selector(0, true).route(read);
        read.assertBound("master", Route.Reason.SATELLITES_BEHIND);
    }

    @Test
    void runsAReadOnTheMasterAfterTheWait() {
        satellite("s1", 4);
        Read read = new Read(5, null, null);
        selector(20, true).route(read);
        read.assertBound("master", Route.Reason.SATELLITES_BEHIND);
    }

    @Test
    void failsAReadAfterTheWaitIfThePolicyKeepsReadsOffTheMaster() {
        satellite("s1", 4);
        Read read = new Read(5, null, null);
        selector(20, false).route(read);
        assertThat((Throwable) read.failure())
                .hasMessageContaining("no satellite has applied")
                .hasMessageContaining("freshness.wait")
                .extracting(failure -> ((SQLException) failure).getSQLState())
                .isEqualTo("57P03");
    }

    @Test
    void resumesReadsInOrderWhenASatelliteHasCaughtUp() {
        FakeSatellite satellite = satellite("s1", 4);
        SatelliteSelector selector = selector(NEVER, false);
        Read first = new Read(5, null, null);
        Read second = new Read(7, null, null);
        selector.route(first);
        selector.route(second);
        satellite.applied = new Scn(5);
        selector.advanced(satellite);
        first.assertBound("s1", Route.Reason.CAUGHT_UP);
        assertThat(second.isPending()).isTrue();
        satellite.applied = new Scn(8);
        selector.advanced(satellite);
        second.assertBound("s1", Route.Reason.CAUGHT_UP);
    }

    @Test
    void resumesAReadThatNeedsLessThanThoseThatWaitAlready() {
        FakeSatellite satellite = satellite("s1", 4);
        SatelliteSelector selector = selector(NEVER, false);
        List<Read> reads = new ArrayList<>();
        for (long needed : new long[] {9, 6, 8, 6, 5, 7}) {
            Read read = new Read(needed, null, null);
            selector.route(read);
            reads.add(read);
        }
        satellite.applied = new Scn(6);
        selector.advanced(satellite);
        assertThat(reads.stream().filter(Read::isPending)).containsExactly(reads.get(0), reads.get(2), reads.get(5));
        satellite.applied = new Scn(9);
        selector.advanced(satellite);
        reads.forEach(read -> read.assertBound("s1", Route.Reason.CAUGHT_UP));
    }

    @Test
    void givesUpReadsInTheOrderOfTheirDeadlinesRegardlessOfWhatTheyNeed() {
        satellite("s1", 4);
        SatelliteSelector selector = selector(200, true);
        Read first = new Read(9, null, null);
        Read second = new Read(5, null, null);
        selector.route(first);
        selector.route(second);
        second.assertBound("master", Route.Reason.SATELLITES_BEHIND);
        assertThat(first.isPending()).isFalse();
        first.assertBound("master", Route.Reason.SATELLITES_BEHIND);
    }

    @Test
    void doesNotVisitAReadTwice() {
        FakeSatellite partial = satellite("partial", 4, new ReplicatedTables(false, Set.of("author")));
        FakeSatellite full = satellite("full", 4);
        SatelliteSelector selector = selector(200, true);
        Read book = new Read(5, Set.of("book"), null);
        Read author = new Read(5, Set.of("author"), null);
        selector.route(book);
        selector.route(author);
        partial.applied = new Scn(6);
        selector.advanced(partial);
        author.assertBound("partial", Route.Reason.CAUGHT_UP);
        assertThat(book.isPending()).isTrue();
        satellites.remove(full);
        selector.stoppedServing();
        book.assertBound("master", Route.Reason.NOT_HELD);
        selector.advanced(partial); // binds nothing again
    }

    @Test
    void continuesToWaitIfOnlyASatelliteWithoutTheTableHasCaughtUp() {
        FakeSatellite partial = satellite("partial", 4, new ReplicatedTables(false, Set.of("author")));
        satellite("full", 4);
        SatelliteSelector selector = selector(NEVER, false);
        Read read = new Read(5, Set.of("book"), null);
        selector.route(read);
        partial.applied = new Scn(5);
        selector.advanced(partial);
        assertThat(read.isPending()).isTrue();
    }

    @Test
    void resumesReadsOnTheMasterWhenTheLastCandidateLeaves() {
        FakeSatellite satellite = satellite("s1", 4);
        SatelliteSelector selector = selector(NEVER, false);
        Read read = new Read(5, null, null);
        selector.route(read);
        satellites.remove(satellite);
        selector.stoppedServing();
        read.assertBound("master", Route.Reason.NO_SATELLITE);
    }

    @Test
    void selectsNoSatelliteWithoutALease() {
        mayAnswer.set(false);
        satellite("s1", 9);
        Read read = new Read(5, null, null);
        selector(20, false).route(read);
        assertThat((Throwable) read.failure())
                .hasMessageContaining("another middleware may have taken it over")
                .extracting(failure -> ((SQLException) failure).getSQLState())
                .isEqualTo("57P03");
    }

    @Test
    void recordsTheWaitsOfReads() {
        FakeSatellite satellite = satellite("s1", 4);
        SatelliteSelector selector = selector(NEVER, false);
        selector.route(new Read(4, null, null));
        Read waiting = new Read(5, null, null);
        selector.route(waiting);
        satellite.applied = new Scn(5);
        selector.advanced(satellite);
        waiting.assertBound("s1", Route.Reason.CAUGHT_UP);
        var waits = selector.takeWaits();
        assertThat(waits.getTotalCount()).isEqualTo(2);
        assertThat(waits.getMaxValue()).isPositive();
        assertThat(selector.takeWaits().getTotalCount()).isZero();
    }

    private static final class FakeSatellite implements ReadCandidate {
        private final ComputationalNode node;
        private final ReplicatedTables tables;
        private volatile Scn applied = Scn.ZERO;

        FakeSatellite(ComputationalNode node, ReplicatedTables tables) {
            this.node = node;
            this.tables = tables;
        }

        @Override
        public ComputationalNode node() {
            return node;
        }

        @Override
        public ReplicatedTables tables() {
            return tables;
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

    /** A request that records how the selector has answered it. */
    private static final class Read extends SatelliteRequest {
        private record Answer(
                @Nullable ComputationalNode node,
                @Nullable Route why,
                @Nullable SQLException failure) {}

        private final CompletableFuture<Answer> answer = new CompletableFuture<>();

        Read(long needed, long acceptable, @Nullable String node) {
            super(new Scn(needed), new Scn(acceptable), new ReadTarget(null, node, "default"), null);
        }

        Read(long needed, @Nullable Set<String> tables, @Nullable ComputationalNode except) {
            super(new Scn(needed), new Scn(needed), new ReadTarget(tables, null, "default"), except);
        }

        @Override
        protected void bind(ComputationalNode node, Route why) {
            assertThat(answer.complete(new Answer(node, why, null)))
                    .as("answered once")
                    .isTrue();
        }

        @Override
        protected void fail(SQLException cause) {
            assertThat(answer.complete(new Answer(null, null, cause)))
                    .as("answered once")
                    .isTrue();
        }

        boolean isPending() {
            return !answer.isDone();
        }

        String node() {
            ComputationalNode bound = answer.join().node();
            return bound == null ? "none" : bound.name();
        }

        Route assertBound(String node, Route.Reason reason) {
            Answer given = answer.join();
            assertThat((Object) given.failure()).isNull();
            assertThat(node()).isEqualTo(node);
            Route why = given.why();
            assertThat(why).isNotNull();
            assertThat(why.reason()).isEqualTo(reason);
            return why;
        }

        SQLException failure() {
            SQLException failure = answer.join().failure();
            assertThat((Object) failure).isNotNull();
            return failure;
        }
    }
}
