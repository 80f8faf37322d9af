// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.mysql.connection.MySqlErrors;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/**
 * Errors that mean a broken connection are those of the engine's driver, not those that SQL raises with an SQLState of
 * its choice.
 */
class ConnectionFailureTest {
    private final MySqlErrors errors = new MySqlErrors();

    private boolean isFailure(String state, int number) {
        return errors.isConnectionFailure(new SQLException("", state, number));
    }

    @Test
    void shouldDistinguishErrorsOfTheDriverFromThoseRaisedBySql() {
        assertThat(isFailure("08S01", 0)).isTrue();
        assertThat(isFailure("08003", 0)).isTrue();
        assertThat(isFailure("08004", 1040)).isFalse();
        assertThat(isFailure("08006", 1644)).isFalse();
    }

    /** A commit that was interrupted may have succeeded: such an error must never count as the statement's own. */
    @Test
    void shouldReportAnInterruptedCommitAsInDoubt() {
        SQLException interrupted = new SQLException("Query execution was interrupted", "70100", 1317);
        assertThat(errors.isConnectionFailure(MySqlExtractor.inDoubt(interrupted)))
                .isTrue();
        assertThat(errors.hasTimedOut(MySqlExtractor.inDoubt(interrupted))).isFalse();
    }

    @Test
    void shouldKnowThatTheServerEndsConnections() {
        assertThat(isFailure("08S01", 1053)).isTrue();
        assertThat(isFailure("08S01", 1153)).isTrue();
        assertThat(isFailure("70100", 1927)).isTrue();
    }
}
