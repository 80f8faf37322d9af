// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.GroupWorkers;
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
        workers.serves(connection, session, true);
        workers.returnConnection(connection);
    }

    @Test
    void shouldResetASessionThatIsIdle() throws SQLException {
        serve(1);
        await("a reset").atMost(LIMIT).until(() -> calls.of("resetSession") == 1);
        assertThat(workers.isUnreset(workers.connectionOf(1))).isFalse();
    }

    @Test
    void shouldResetASessionBeforeAnotherClientUsesIt() throws SQLException {
        serve(1);
        serve(1);
        assertThat(calls.of("resetSession")).isZero();
        serve(2);
        assertThat(calls.of("resetSession")).isOne();
    }

    @Test
    void shouldNotResetASessionInUse() throws SQLException {
        Connection connection = workers.connectionOf(1);
        workers.serves(connection, 1, true);
        serve(1); // the use of another thread ends, on the same connection of this pool
        assertThat(workers.isUnreset(connection)).isTrue();
        workers.returnConnection(connection);
        await("a reset").atMost(LIMIT).until(() -> !workers.isUnreset(connection));
    }
}
