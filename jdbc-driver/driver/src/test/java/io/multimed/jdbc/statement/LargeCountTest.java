// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.statement;

import static io.multimed.jdbc.ScriptedMiddleware.IDLE;
import static io.multimed.jdbc.ScriptedMiddleware.executed;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.jdbc.ScriptedMiddleware;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.ExecuteBatch;
import io.multimed.protocol.request.ExecuteScript;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.response.BatchExecuted;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.EngineIdentity;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Numbers of rows that do not fit an int: methods that return an int return the same as the engine's own driver. */
@Timeout(20)
class LargeCountTest {
    private static final long MANY = 3_000_000_000L;
    private static final String UPDATE = "UPDATE item SET price = 1";

    static Stream<Arguments> engines() {
        return Stream.of(
                Arguments.of(ScriptedMiddleware.POSTGRESQL, Statement.SUCCESS_NO_INFO),
                Arguments.of(ScriptedMiddleware.MYSQL, Integer.MAX_VALUE));
    }

    private static @Nullable Response answer(Request request) {
        if (request instanceof Execute) {
            return executed(IDLE, new Outcome.Count(MANY));
        }
        return request instanceof ExecuteBatch || request instanceof ExecuteScript
                ? new BatchExecuted(IDLE, new long[] {MANY, 1}, null, List.of())
                : null;
    }

    @ParameterizedTest
    @MethodSource("engines")
    void shouldReturnNumbersOfRowsThatDoNotFitAsTheEnginesOwnDriver(EngineIdentity engine, int expected)
            throws Exception {
        try (ScriptedMiddleware middleware = new ScriptedMiddleware(engine);
                Connection connection =
                        middleware.answering(LargeCountTest::answer).connect();
                Statement statement = connection.createStatement();
                PreparedStatement prepared = connection.prepareStatement(UPDATE);
                CallableStatement call = connection.prepareCall(UPDATE)) {
            assertThat(statement.executeUpdate(UPDATE)).isEqualTo(expected);
            assertThat(statement.getUpdateCount()).isEqualTo(expected);
            assertThat(statement.getLargeUpdateCount()).isEqualTo(MANY);
            assertThat(statement.executeLargeUpdate(UPDATE)).isEqualTo(MANY);
            assertThat(statement.executeUpdate(UPDATE, Statement.RETURN_GENERATED_KEYS))
                    .isEqualTo(expected);
            assertThat(statement.executeUpdate(UPDATE, new String[] {"id"})).isEqualTo(expected);
            assertThat(statement.executeUpdate(UPDATE, new int[] {1})).isEqualTo(expected);
            assertThat(prepared.executeUpdate()).isEqualTo(expected);
            assertThat(prepared.executeLargeUpdate()).isEqualTo(MANY);
            assertThat(call.executeUpdate()).isEqualTo(expected);
            statement.addBatch(UPDATE);
            assertThat(statement.executeBatch()).containsExactly(expected, 1);
            prepared.addBatch();
            assertThat(prepared.executeBatch()).containsExactly(expected, 1);
            prepared.addBatch();
            assertThat(prepared.executeLargeBatch()).containsExactly(MANY, 1);
        }
    }
}
