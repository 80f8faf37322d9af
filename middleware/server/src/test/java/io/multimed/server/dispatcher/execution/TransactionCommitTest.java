// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.model.value.CoreSet;
import io.multimed.server.dispatcher.group.Fakes;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.Lease;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the session of a commit that was asked to stop, because others waited for it, and has committed anyway. */
@Timeout(60)
class TransactionCommitTest {
    private static final Set<String> ENDS = Set.of("resetSession", "close");

    private final Fakes.Calls calls = new Fakes.Calls();
    private TransactionCommit commit;

    @Test
    void shouldNotReturnTheUnrestoredSessionOfACommitThatWasStoppedTooLate() throws Exception {
        CompletableFuture<Scn> committed = new CompletableFuture<>();
        try (ComputationalNode node = new ComputationalNode(
                "node",
                0,
                CoreSet.ALL,
                Fakes.engine(Fakes.dialect(calls)),
                2,
                new MemoryBudget(1 << 20),
                new CriticalThreads())) {
            node.attach(Fakes.pool(calls));
            Lease lease = Fakes.lease(node);
            commit = new TransactionCommit(
                    lease,
                    lease::release,
                    stoppedExtractor(),
                    new Receipt(1, 1),
                    SessionFate.unchanged(false),
                    false,
                    new Committed(committed));
            assertThat(commit.sealAndCommit()).isPresent();
            commit.published(new Scn(7));
            assertThat(committed.get(10, TimeUnit.SECONDS)).isEqualTo(new Scn(7));
            node.resetLeft(0);
        }
        assertThat(calls.inOrder(ENDS)).startsWith("resetSession", "close");
    }

    /** Returns an extractor whose commit succeeds although the commit was stopped meanwhile. */
    private WriteSetExtractor stoppedExtractor() {
        return (WriteSetExtractor) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {WriteSetExtractor.class}, (self, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("sealAndCommit");
                    commit.stop(new SQLException("others wait", "57014"));
                    return Optional.of(WriteSet.inLog(false));
                });
    }

    private record Committed(CompletableFuture<Scn> result) implements TransactionCommit.Outcome {
        @Override
        public void committed(Scn scn) {
            result.complete(scn);
        }

        @Override
        public void changed(WriteSet writeSet) {}

        @Override
        public void failed(SQLException cause) {
            result.completeExceptionally(cause);
        }
    }
}
