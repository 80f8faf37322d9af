// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.server.dispatcher.group.Fakes;
import io.multimed.server.node.CriticalThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the sessions that a client leaves without a reset after a single statement. */
@Timeout(60)
class GroupWorkersTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Fakes.Calls calls = new Fakes.Calls();
    private final GroupWorkers workers =
            new GroupWorkers("master", Fakes.engine(Fakes.dialect(calls)), Fakes.pool(calls), 1, new CriticalThreads());

    @AfterEach
    void close() {
        workers.close();
    }

    private void serve(long session) throws SQLException {
        Connection connection = workers.connectionOf(session);
        workers.sessionOf(connection).serves(session, true);
        workers.returnConnection(connection);
    }

    @Test
    void shouldResetASessionThatIsIdle() throws SQLException {
        serve(1);
        await("a reset").atMost(LIMIT).until(() -> calls.of("resetSession") == 1);
        assertThat(workers.sessionOf(workers.connectionOf(1)).isUnreset()).isFalse();
    }

    @Test
    void shouldResetASessionBeforeAnotherClientUsesIt() throws SQLException {
        serve(1);
        serve(2);
        assertThat(calls.of("resetSession")).isPositive();
    }

    @Test
    void shouldNotResetASessionInUse() throws SQLException {
        Connection connection = workers.connectionOf(1);
        workers.sessionOf(connection).serves(1, true);
        serve(1); // the use of another thread ends, on the same connection of this pool
        assertThat(workers.sessionOf(connection).isUnreset()).isTrue();
        workers.returnConnection(connection);
        await("a reset")
                .atMost(LIMIT)
                .until(() -> !workers.sessionOf(connection).isUnreset());
    }
}
