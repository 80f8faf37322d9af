// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.master.SessionWait;
import io.multimed.engine.master.SessionWait.Kind;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The others wait for a limited time for a member, whatever it waits for. */
class MemberWaitsTest {
    private static final int SESSION = 1;
    private static final int FIRST_MILLIS = 500;
    private static final int TICK_MILLIS = 100;
    private static final int MAX_MILLIS = 60_000;

    /** Returns the time after which a member is stopped that waits for these things in turn; -1 if it never is. */
    private static long stoppedAfter(boolean mayRunCode, Kind... kinds) {
        MemberWaits waits = new MemberWaits();
        for (int millis = FIRST_MILLIS, i = 0; millis <= MAX_MILLIS; millis += TICK_MILLIS, i++) {
            SessionWait wait = new SessionWait(kinds[i % kinds.length], "");
            waits.record(TimeUnit.MILLISECONDS.toNanos(millis), Map.of(SESSION, wait));
            if (waits.isTooLong(SESSION, mayRunCode)) {
                return millis;
            }
        }
        return -1;
    }

    @ParameterizedTest
    @CsvSource({"LOCK, 1100", "SLEEP, 1100", "COMPUTING, 3100", "OPERATOR, 10100"})
    void shouldLimitEachKind(Kind kind, long millis) {
        assertThat(stoppedAfter(false, kind)).isEqualTo(millis);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldLimitKindsInTurn(boolean mayRunCode) {
        assertThat(stoppedAfter(mayRunCode, Kind.SLEEP, Kind.COMPUTING)).isEqualTo(3_100);
        assertThat(stoppedAfter(mayRunCode, Kind.LOCK, Kind.SLEEP, Kind.COMPUTING))
                .isEqualTo(3_100);
        assertThat(stoppedAfter(mayRunCode, Kind.OPERATOR, Kind.SLEEP)).isBetween(3_100L, 10_000L);
    }

    /** Without code of users the engine waits for the disk, as it would for all others. */
    @ParameterizedTest
    @CsvSource({"true, 10100", "false, -1"})
    void shouldLimitWaitsOfTheEngineOnlyWhereCodeOfUsersMayRun(boolean mayRunCode, long millis) {
        assertThat(stoppedAfter(mayRunCode, Kind.ENGINE)).isEqualTo(millis);
    }
}
