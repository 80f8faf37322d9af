// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** The connections of a node go to requests in FIFO order, and a closed node accepts no new requests. */
class LeaseQueueTest {
    private final LeaseQueue<LeaseRequest> queue = new LeaseQueue<>(2);

    @Test
    void shouldPassReturnedConnectionsToTheOldestRequest() {
        LeaseRequest third = new Request();
        LeaseRequest fourth = new Request();
        assertThat(queue.ask(new Request())).isEqualTo(LeaseQueue.Answer.TAKEN);
        assertThat(queue.ask(new Request())).isEqualTo(LeaseQueue.Answer.TAKEN);
        assertThat(queue.ask(third)).isEqualTo(LeaseQueue.Answer.WAITS);
        assertThat(queue.ask(fourth)).isEqualTo(LeaseQueue.Answer.WAITS);
        assertThat(queue.load())
                .as("two connections in use and two requests, as a share of two connections")
                .isEqualTo(2.0);
        assertThat(queue.nextOrFree()).isSameAs(third);
        assertThat(queue.nextOrFree()).isSameAs(fourth);
        assertThat(queue.active())
                .as("both connections went to waiting requests")
                .isEqualTo(2);
        assertThat(queue.nextOrFree()).isNull();
        assertThat(queue.active()).isEqualTo(1);
        assertThat(queue.waiting()).isZero();
    }

    @Test
    void shouldAnswerWaitingRequestsButAcceptNoNewOnesWhenClosed() throws Exception {
        LeaseRequest waiting = new Request();
        queue.ask(new Request());
        queue.ask(new Request());
        queue.ask(waiting);
        queue.admit(false);
        assertThat(queue.ask(new Request())).isEqualTo(LeaseQueue.Answer.REFUSED);
        assertThat(queue.awaitIdle(1)).as("two connections are in use").isFalse();
        assertThat(queue.nextOrFree()).isSameAs(waiting);
        assertThat(queue.nextOrFree()).isNull();
        assertThat(queue.nextOrFree()).isNull();
        assertThat(queue.awaitIdle(0)).as("all connections were returned").isTrue();
        queue.admit(true);
        assertThat(queue.ask(new Request())).isEqualTo(LeaseQueue.Answer.TAKEN);
    }

    @Test
    void shouldMakeRequestsWaitDuringAPauseAndThenAnswerThemInTheirOrder() throws Exception {
        LeaseRequest second = new Request();
        LeaseRequest third = new Request();
        LeaseRequest fourth = new Request();
        queue.ask(new Request());
        queue.hold();
        assertThat(queue.ask(second)).as("although a connection is free").isEqualTo(LeaseQueue.Answer.WAITS);
        queue.ask(third);
        queue.ask(fourth);
        assertThat(queue.nextOrFree()).as("the first request has ended").isNull();
        assertThat(queue.awaitIdle(0)).isTrue();
        assertThat(queue.release()).containsExactly(second, third);
        assertThat(queue.active()).isEqualTo(2);
        assertThat(queue.nextOrFree()).isSameAs(fourth);
        assertThat(queue.ask(new Request())).isEqualTo(LeaseQueue.Answer.WAITS);
    }

    /** Identified by its object only. */
    private static final class Request implements LeaseRequest {
        @Override
        public void leased(Lease lease) {
            throw new IllegalStateException("a queue calls no request");
        }

        @Override
        public void refused(SQLException cause) {
            throw new IllegalStateException("a queue calls no request", cause);
        }
    }
}
