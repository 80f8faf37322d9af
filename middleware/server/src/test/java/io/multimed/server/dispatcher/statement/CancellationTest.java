package io.multimed.server.dispatcher.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A cancel affects only the statement that runs at the time of the request, and no later statement of the connection.
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
    void shouldPreventTheExecutionOfAStatementThatWaits() throws SQLException {
        cancellation.beginWait();
        cancellation.cancel();
        assertThatThrownBy(() -> cancellation.beginUnlessCanceled(() -> {}))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("57014"));
        assertThat(cancellation.wasRequested()).isTrue();
        cancellation.beginUnlessCanceled(() -> {}); // the next statement
        assertThat(cancellation.wasRequested()).isFalse();
    }

    @Test
    void shouldForgetAWaitThatHasEnded() throws SQLException {
        cancellation.beginWait();
        cancellation.endWait();
        cancellation.cancel();
        cancellation.beginUnlessCanceled(() -> {});
        assertThat(cancellation.wasRequested()).isFalse();
    }

    /** The statement waits, runs in a message with others, is undone, and waits again. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldKeepARequestForAStatementThatRunsTogetherWithOthers(int phase) throws SQLException {
        cancellation.beginWait();
        cancelIf(phase == 0);
        cancellation.beginTogether();
        cancelIf(phase == 1);
        cancellation.end();
        cancellation.waitAgain();
        cancelIf(phase == 2);
        assertThat(cancellation.wasRequested()).isTrue();
        assertThatThrownBy(() -> cancellation.beginUnlessCanceled(() -> {}))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("57014"));
    }

    private void cancelIf(boolean now) throws SQLException {
        if (now) {
            cancellation.cancel();
        }
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
