// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.multimed.engine.Engine;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Tests that connections use the Unix-domain socket of a server on this machine, and that time limits and errors are
 * those of TCP.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SocketConformance extends ConformanceTest {
    @BeforeAll
    void requireSocket() {
        Assumptions.assumeTrue(access().socket().isPresent(), "the servers listen on TCP only");
    }

    private NodeAccess access() {
        return replication().masterAccess();
    }

    private Engine engine() {
        return replication().engine();
    }

    private @Nullable String kind(Connection connection) throws SQLException {
        return Sql.text(connection, word("TCP or socket"));
    }

    @Test
    void shouldConnectToTheSocket() throws SQLException {
        long epoch = replication().epoch();
        try (ConnectionPool pool = engine().masterPool(access(), 1, false, engine().groupIsolation(), epoch);
                Connection client = pool.getConnection();
                Connection own = engine().connect(access())) {
            assertThat(kind(client)).isEqualTo("socket");
            assertThat(kind(own)).isEqualTo("socket");
        }
        NodeAccess here = access();
        try (Connection own = engine().connect(new NodeAccess(here.node(), here.url(), here.user(), here.password()))) {
            assertThat(kind(own)).isEqualTo("TCP");
        }
    }

    @Test
    void shouldEndAWaitThatExceedsTheTimeLimit() throws SQLException {
        try (Connection connection = engine().connect(access())) {
            connection.setNetworkTimeout(Runnable::run, 300);
            long begin = System.nanoTime();
            assertThat(replication().dialect().errors().isConnectionFailure(sleep(connection)))
                    .isTrue();
            assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin))
                    .isLessThan(10);
        }
    }

    @Test
    void shouldEndAWaitWhenTheConnectionIsAborted() throws Exception {
        Connection connection = engine().connect(access());
        CompletableFuture<SQLException> sleeping = CompletableFuture.supplyAsync(() -> sleep(connection));
        TimeUnit.MILLISECONDS.sleep(300);
        connection.abort(Runnable::run);
        assertThat(replication().dialect().errors().isConnectionFailure(sleeping.get(10, TimeUnit.SECONDS)))
                .isTrue();
    }

    private SQLException sleep(Connection connection) {
        return Objects.requireNonNull(catchThrowableOfType(
                SQLException.class,
                () -> Sql.run(connection, words("words").statement("sleep").formatted(20))));
    }

    @Test
    void shouldReportASocketWithoutAServer() {
        NodeAccess here = access();
        Path absent = here.socket().orElseThrow().resolveSibling("absent");
        NodeAccess away = new NodeAccess(here.node(), here.url(), here.user(), here.password(), Optional.of(absent));
        SQLException failure = catchThrowableOfType(SQLException.class, () -> engine().connect(away));
        assertThat(replication().dialect().errors().isConnectionFailure(failure))
                .isTrue();
        assertThat(NodeAccess.isRefusal(failure)).isFalse();
    }
}
