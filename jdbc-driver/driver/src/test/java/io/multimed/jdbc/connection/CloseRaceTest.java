// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.connection;

import static io.multimed.jdbc.ScriptedMiddleware.IDLE;
import static io.multimed.jdbc.ScriptedMiddleware.executed;
import static io.multimed.jdbc.ScriptedMiddleware.firstBatch;
import static io.multimed.jdbc.ScriptedMiddleware.integer;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.jdbc.ScriptedMiddleware;
import io.multimed.protocol.request.Describe;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.ExecuteBatch;
import io.multimed.protocol.request.ExecuteScript;
import io.multimed.protocol.request.Fetch;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.response.BatchExecuted;
import io.multimed.protocol.response.Described;
import io.multimed.protocol.response.Response;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread closes what another thread uses: the other thread gets a result or an SQLException, and nothing else. */
@Timeout(60)
class CloseRaceTest {
    private static final int ROUNDS = 150;

    /** A connection with what was created from it. */
    private record Opened(Connection connection, PreparedStatement statement, ResultSet rows) {
        static Opened on(Connection connection) throws SQLException {
            PreparedStatement statement = connection.prepareStatement("SELECT id FROM item");
            statement.setFetchSize(2);
            return new Opened(connection, statement, statement.executeQuery());
        }
    }

    private interface Step {
        void on(Opened opened) throws Exception;
    }

    private static final Map<String, Step> ENDS = Map.of(
            "statement", opened -> opened.statement().close(),
            "result", opened -> opened.rows().close(),
            "connection", opened -> opened.connection().close(),
            "abort", opened -> opened.connection().abort(Runnable::run));

    private static final List<Step> USES = List.of(
            opened -> opened.statement().executeQuery().next(),
            opened -> opened.statement().execute(),
            opened -> opened.statement().getMoreResults(),
            opened -> opened.statement().getGeneratedKeys().next(),
            opened -> opened.statement().getMetaData(),
            opened -> opened.statement().cancel(),
            opened -> {
                opened.statement().addBatch();
                opened.statement().executeBatch();
            },
            opened -> readAll(opened.rows()),
            opened -> opened.rows().getMetaData().getColumnLabel(1),
            opened -> opened.rows().findColumn("id"),
            opened -> opened.connection()
                    .createStatement()
                    .executeQuery("SELECT 1")
                    .next(),
            opened -> opened.connection().setAutoCommit(false),
            opened -> opened.connection().isValid(1),
            opened -> opened.connection().getMetaData().getUserName());

    private static void readAll(ResultSet rows) throws SQLException {
        while (rows.next()) {
            rows.getInt(1);
            rows.wasNull();
        }
    }

    private static @Nullable Response answer(Request request) {
        if (request instanceof Execute) {
            return executed(IDLE, firstBatch(7, List.of(integer("id")), new Object[] {1}, new Object[] {2}));
        } else if (request instanceof Fetch) {
            return ScriptedMiddleware.batch(true, new Object[] {3});
        } else if (request instanceof Describe) {
            return new Described(IDLE, List.of(), List.of());
        }
        return request instanceof ExecuteBatch || request instanceof ExecuteScript
                ? new BatchExecuted(IDLE, new long[] {1}, null, List.of())
                : null;
    }

    @ParameterizedTest
    @ValueSource(strings = {"statement", "result", "connection", "abort"})
    void shouldReturnOrThrowAnSqlException(String ended) throws Exception {
        try (ScriptedMiddleware middleware = new ScriptedMiddleware(ScriptedMiddleware.POSTGRESQL)) {
            middleware.answering(CloseRaceTest::answer);
            Connection connection = middleware.connect();
            for (int round = 0; round < ROUNDS; round++) {
                connection = connection.isClosed() ? middleware.connect() : connection;
                race(Opened.on(connection), USES.get(round % USES.size()), ENDS.get(ended));
                if (!connection.isClosed()) {
                    connection.setAutoCommit(true);
                }
            }
            connection.close();
        }
    }

    private static void race(Opened opened, Step use, Step end) throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        CompletableFuture<Void> used = new CompletableFuture<>();
        Thread user = new Thread(() -> {
            try {
                start.await();
                use.on(opened);
                used.complete(null);
            } catch (Exception e) {
                used.completeExceptionally(e);
            }
        });
        user.start();
        start.await();
        end.on(opened);
        user.join();
        try {
            used.get();
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(SQLException.class);
        }
    }
}
