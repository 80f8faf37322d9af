// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A cancel affects only the request that it names, also before the request begins, and no later statement of the
 * connection.
 */
@Timeout(60)
class CancellationTest {
    private final Cancellation cancellation = new Cancellation();

    @Test
    void shouldKeepTheConnectionUntilACancelHasReachedTheEngine() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch arrived = new CountDownLatch(1);
        AtomicBoolean passedOn = new AtomicBoolean();
        cancellation.begin(() -> {
            asked.countDown();
            await(arrived);
            assertThat(passedOn).isFalse();
        });
        CompletableFuture<Void> canceling = CompletableFuture.runAsync(unchecked(cancellation::cancel));
        asked.await();
        CompletableFuture<Void> ending = CompletableFuture.runAsync(unchecked(() -> {
            cancellation.end();
            passedOn.set(true);
        }));
        assertThat(ending).isNotDone();
        arrived.countDown();
        canceling.join();
        ending.join();
        assertThat(cancellation.wasRequested()).isTrue();
    }

    @Test
    void shouldNotCancelLaterStatements() throws SQLException {
        AtomicBoolean canceled = new AtomicBoolean();
        cancellation.begin(() -> canceled.set(true));
        cancellation.end();
        cancellation.cancel();
        assertThat(canceled).isFalse();
        assertThat(cancellation.wasRequested()).isFalse();
    }

    @Test
    void shouldCancelTheRequestThatIsNamed() throws SQLException {
        AtomicInteger canceled = new AtomicInteger();
        cancellation.beginRequest(2);
        cancellation.beginUnlessCanceled(canceled::incrementAndGet);
        assertThat(cancellation.request(1)).as("a request that has ended").isFalse();
        assertThat(cancellation.request(3)).as("a request that has not begun").isFalse();
        assertThat(cancellation.deliver()).isFalse();
        assertThat(canceled).hasValue(0);
        assertThat(cancellation.request(2)).isTrue();
        assertThat(cancellation.deliver()).as("the statement still runs").isTrue();
        assertThat(canceled).hasValue(1);
        assertThat(cancellation.end()).as("a cancel request was sent").isTrue();
        cancellation.endRequest();
        cancellation.beginRequest(4);
        assertThat(cancellation.wasRequested()).isFalse();
    }

    @Test
    void shouldHaveNoEffectOnARequestThatIsAnswered() throws SQLException {
        cancellation.beginRequest(1);
        cancellation.endRequest();
        assertThat(cancellation.request(1)).isFalse();
        cancellation.beginRequest(2);
        cancellation.beginUnlessCanceled(() -> {});
        assertThat(cancellation.wasRequested()).isFalse();
    }

    /** The cancel arrives before the request, between two steps of the request, or while the request waits. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void shouldPreventWhatHasNotBegun(int phase) throws SQLException {
        cancelIf(phase == 0);
        cancellation.beginRequest(1);
        cancelIf(phase == 1);
        cancellation.begin(() -> {}); // together with others
        cancelIf(phase == 2);
        cancellation.end();
        cancelIf(phase == 3);
        assertThat(cancellation.wasRequested()).isTrue();
        assertThatThrownBy(() -> cancellation.beginUnlessCanceled(() -> {}))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("57014"));
        cancellation.endRequest();
        cancellation.beginRequest(2);
        cancellation.beginUnlessCanceled(() -> {});
    }

    private void cancelIf(boolean now) {
        if (now) {
            cancellation.request(1);
        }
    }

    @Test
    void shouldCancelAllRequestsOfAClientThatHasGone() {
        cancellation.beginRequest(1);
        cancellation.requestAll();
        assertThat(cancellation.wasRequested()).isTrue();
        cancellation.endRequest();
        cancellation.beginRequest(2);
        assertThat(cancellation.wasRequested()).isTrue();
    }

    @Test
    void shouldDistinguishATimeLimitFromARequestOfTheClient() {
        cancellation.beginRequest(1);
        cancellation.expire(1);
        assertThat(cancellation.wasRequested()).isTrue();
        assertThat(cancellation.hasExpired()).isTrue();
        cancellation.beginRequest(2);
        cancellation.request(2);
        cancellation.expire(2);
        assertThat(cancellation.hasExpired()).isFalse();
    }

    /** An engine's driver gives up a cancel request that may still reach the engine. */
    @Test
    void shouldNotUseAConnectionToWhichARequestMayBeOnItsWay() throws SQLException {
        Cancellation impatient = new Cancellation(new Cancellation.Patience(20_000, 0));
        impatient.begin(() -> {});
        impatient.cancel();
        assertThatThrownBy(impatient::end)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08006"));
    }

    @Test
    void shouldNotWaitForARequestToAConnectionThatIsBroken() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch arrived = new CountDownLatch(1);
        cancellation.begin(() -> {
            asked.countDown();
            await(arrived);
        });
        CompletableFuture<Void> canceling = CompletableFuture.runAsync(unchecked(cancellation::cancel));
        asked.await();
        cancellation.abandon();
        cancellation.beginRequest(1); // on another connection
        cancellation.begin(() -> {});
        assertThat(cancellation.end()).isFalse();
        arrived.countDown();
        canceling.join();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Runnable unchecked(Cancellation.Canceler step) {
        return () -> {
            try {
                step.cancel();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        };
    }
}
