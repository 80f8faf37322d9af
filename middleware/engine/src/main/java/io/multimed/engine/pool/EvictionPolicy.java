// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.pool;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;
import java.util.function.Predicate;

/**
 * Keeps connections open that HikariCP would close: HikariCP closes a connection after an error 0A000, and after any
 * error of class 08. Both may be regular answers: the engine or a trigger refuses a statement, or a function raises an
 * error with an SQLState of its choice. The connection is then intact, and its transaction continues.
 */
final class EvictionPolicy implements SQLExceptionOverride {
    private final Predicate<SQLException> connectionFailure;

    /** @param connectionFailure the test of the engine's dialect */
    EvictionPolicy(Predicate<SQLException> connectionFailure) {
        this.connectionFailure = connectionFailure;
    }

    @java.lang.Override
    public SQLExceptionOverride.Override adjudicate(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        boolean answer = state.equals("0A000")
                || ((state.startsWith("08") || state.startsWith("57P0")) && !connectionFailure.test(failure));
        return answer ? SQLExceptionOverride.Override.DO_NOT_EVICT : SQLExceptionOverride.Override.CONTINUE_EVICT;
    }
}
