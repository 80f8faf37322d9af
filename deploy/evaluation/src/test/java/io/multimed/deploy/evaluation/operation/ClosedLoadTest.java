// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.bench.workload.Workload;
import io.multimed.deploy.evaluation.database.MeasuredDatabase;
import io.multimed.deploy.evaluation.database.PlainDatabase;
import io.multimed.deploy.launcher.StateFolder;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a load on an engine. */
@Timeout(300)
class ClosedLoadTest {
    private static final String ENGINE =
            System.getProperty("multimed.test.engines", "postgresql").split(",", -1)[0];

    private static final int CLIENTS = 3;

    /** Accounts of engines can pass through it. */
    private final StateFolder state = StateFolder.temporary("multimed-load-");

    @AfterEach
    void removeFolder() {
        state.discard();
    }

    /** Runs a query, and then has a defect. */
    private static final class DefectiveWorkload implements Workload {
        private final CountDownLatch failed = new CountDownLatch(CLIENTS);

        @Override
        public void prepare(Connection connection) {
            // The query needs no table.
        }

        @Override
        public Client open(Connection connection, int number) {
            return new Client() {
                private boolean repeated;

                @Override
                public void execute() throws SQLException {
                    if (repeated) {
                        failed.countDown();
                        throw new IllegalStateException("a defect of the workload");
                    }
                    repeated = true;
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("SELECT 1");
                    }
                }

                @Override
                public void close() {
                    // The statement is closed already.
                }
            };
        }
    }

    /** A client that ends by a defect must not look like one that is slow. */
    @Test
    void shouldReportClientsThatEndByAnException() throws Exception {
        DefectiveWorkload workload = new DefectiveWorkload();
        try (MeasuredDatabase database = new PlainDatabase(ENGINE, 1, CLIENTS, 1, state.path());
                ClosedLoad load = new ClosedLoad(database, List.of(database), workload, CLIENTS)) {
            assertThat(workload.failed.await(60, TimeUnit.SECONDS)).isTrue();
            load.close(); // waits for the clients
            ClosedLoad.Interval interval = load.measure(0);
            assertThat(interval.errors()).isEqualTo(CLIENTS);
            assertThat(interval.rate()).isZero();
            assertThat(interval.operations()).as("divisor of CPU times").isEqualTo(1);
        }
    }
}
