// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.reflect.Proxy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;
import org.postgresql.util.ServerErrorMessage;

/** The seal and the COMMIT are one message: an error of the driver leaves open whether the COMMIT has failed. */
class SealFailureTest {
    private static Throwable executing(SQLException failure) {
        PreparedStatement seal = (PreparedStatement) Proxy.newProxyInstance(
                SealFailureTest.class.getClassLoader(), new Class<?>[] {PreparedStatement.class}, (p, m, a) -> {
                    throw failure;
                });
        return catchThrowable(() -> PostgresExtractor.execute(seal));
    }

    @Test
    void shouldReportNoRollbackIfTheDriverCouldNotReadTheAnswer() {
        SQLException failure =
                new PSQLException("Ran out of memory", PSQLState.OUT_OF_MEMORY, new OutOfMemoryError("for this test"));
        assertThat(executing(failure)).isInstanceOf(IllegalStateException.class).hasCause(failure);
    }

    @Test
    void shouldReportErrorsOfTheServerAndOfTheConnectionUnchanged() {
        SQLException refused = new PSQLException(new ServerErrorMessage("SERROR\0C53200\0Mout of memory\0"));
        assertThat(executing(refused)).isSameAs(refused);
        SQLException broken = new PSQLException("broken", PSQLState.CONNECTION_FAILURE);
        assertThat(executing(broken)).isSameAs(broken);
    }
}
