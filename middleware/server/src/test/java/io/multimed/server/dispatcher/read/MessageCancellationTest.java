// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.server.dispatcher.statement.Cancellation;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each client can cancel the message, and an engine that does not answer a cancel request delays nobody for long. */
@Timeout(60)
class MessageCancellationTest {
    private final Cancellation first = new Cancellation();
    private final Cancellation second = new Cancellation();
    private final MessageCancellation message = new MessageCancellation(List.of(first, second));

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answered = new CountDownLatch(1);

    @AfterEach
    void answer() {
        answered.countDown();
    }

    /** Cancels, and does not return before the engine answers. */
    private CompletableFuture<Void> cancelOnHangingEngine(CancelRequest request) throws InterruptedException {
        message.begin(() -> {
            asked.countDown();
            awaitAnswer();
        });
        CompletableFuture<Void> canceling = CompletableFuture.runAsync(() -> request.sendOrFail());
        asked.await();
        return canceling;
    }

    private void awaitAnswer() {
        try {
            answered.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @FunctionalInterface
    private interface CancelRequest {
        void send() throws SQLException;

        default void sendOrFail() {
            try {
                send();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void shouldLetEachClientCancelTheMessage() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        message.begin(requests::incrementAndGet);
        second.cancel();
        message.end();
        assertThat(requests).hasValue(1);
        assertThat(second.wasRequested()).isTrue();
        assertThat(first.wasRequested()).isFalse();
        first.cancel();
        message.cancel();
        assertThat(requests).hasValue(1);
    }

    @Test
    void shouldNotWaitForARequestToAnEngineThatHangsIfTheConnectionIsBroken() throws Exception {
        CompletableFuture<Void> canceling = cancelOnHangingEngine(message::cancel);
        message.abandon();
        assertThat(canceling).isNotDone();
    }

    @Test
    void shouldNotWaitForAClientsRequestIfTheConnectionIsBroken() throws Exception {
        CompletableFuture<Void> canceling = cancelOnHangingEngine(first::cancel);
        message.abandon();
        assertThat(canceling).isNotDone();
        assertThat(second.wasRequested()).isFalse();
    }

    @Test
    void shouldWaitForTheRequestIfTheConnectionIsUsedFurther() throws Exception {
        CompletableFuture<Void> canceling = cancelOnHangingEngine(first::cancel);
        CompletableFuture<Void> ending = CompletableFuture.runAsync(() -> {
            CancelRequest end = message::end;
            end.sendOrFail();
        });
        assertThat(ending).isNotDone();
        answered.countDown();
        ending.join();
        canceling.join();
    }
}
