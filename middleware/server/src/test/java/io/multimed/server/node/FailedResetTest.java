// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.model.value.CoreSet;
import io.multimed.server.dispatcher.group.Fakes;
import java.sql.SQLException;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A session whose initial state cannot be restored, for example because an administrator cancels the statement. Its
 * connection is closed before the pool can pass it to another client.
 */
@Timeout(60)
class FailedResetTest {
    private static final Set<String> ENDS = Set.of("resetSession", "evict", "close");

    private final Fakes.Calls calls = new Fakes.Calls();
    private final ComputationalNode node = new ComputationalNode(
            "node",
            0,
            CoreSet.ALL,
            Fakes.engine(Fakes.dialect(calls)),
            2,
            new MemoryBudget(1 << 20),
            new CriticalThreads());

    FailedResetTest() {
        calls.fail("resetSession", new SQLException("canceled", "57014"));
        node.attach(Fakes.pool(calls));
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void shouldCloseAConnectionBeforeItReturns() throws Exception {
        Lease lease = Fakes.lease(node);
        lease.markSessionChanged();
        lease.release();
        assertThat(calls.inOrder(ENDS)).containsExactly("resetSession", "evict", "close");
    }

    @Test
    void shouldCloseAConnectionThatWasLeft() throws Exception {
        Lease lease = Fakes.lease(node);
        lease.markTransactionEnded();
        lease.markReset(false);
        lease.release();
        assertThat(calls.inOrder(ENDS)).isEmpty();
        node.resetLeft(0);
        node.close();
        assertThat(calls.inOrder(ENDS)).startsWith("resetSession", "evict", "close");
    }

    /** The connection, which permits changes, is that of the same session, and the only one that is not in use. */
    @Test
    void shouldNotUseAConnectionThatWasLeftForReads() throws Exception {
        Lease lease = Fakes.lease(node);
        Lease other = Fakes.lease(node);
        lease.markTransactionEnded();
        lease.markReset(false);
        lease.release();
        Fakes.lease(node, true).release();
        other.release();
        assertThat(calls.of("resetSession")).isOne();
        assertThat(calls.of("getConnection")).isEqualTo(3);
    }

    @Test
    void shouldGiveAConnectionThatWasLeftOnlyToItsSession() throws Exception {
        Lease lease = Fakes.lease(node);
        lease.markTransactionEnded();
        lease.markReset(false);
        lease.release();
        Fakes.lease(node).release();
        assertThat(calls.of("getConnection")).isOne();
    }
}
