// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.history.HistoryRecorder;
import io.multimed.deploy.launcher.Series;
import io.multimed.deploy.launcher.TestTier;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests faults of a satellite: the service continues without the satellite. */
@Tag("slow")
class SatelliteFaultTest extends FaultsUnderLoad {
    /**
     * A row takes 2 kB in the file of its table, but little in a WriteSet, because each engine computes the long
     * column.
     */
    private static final String BIG_TABLE =
            "CREATE TABLE big (id int PRIMARY KEY, pad text GENERATED ALWAYS AS (repeat('x', 1900)) STORED)";

    private static final int MAX_FILE_ROWS = (int) (FullDisk.MAX_FILE_BYTES / 2_048);
    private static final int STEP = 1_024;

    SatelliteFaultTest(String engine) {
        super(engine);
    }

    static Set<Fault> faults() {
        return TestTier.isExhaustive()
                ? EnumSet.complementOf(FaultTest.ofTheService())
                : EnumSet.of(Fault.KILL_SATELLITE);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldLoseNothingAndApplyNothingTwiceAndServeAgain(Fault fault) throws Exception {
        assumeTrue(
                fault != Fault.FULL_DISK || FullDisk.isPossible(),
                "NOT TESTED: a full disk needs /usr/bin/prlimit (util-linux)");
        if (fault == Fault.FULL_DISK) {
            fillABigTable();
        }
        assertNothingLost(fault, recorder -> endure(fault, recorder));
    }

    /** Commits continue, and the satellite is taken out of service. */
    private void endure(Fault fault, HistoryRecorder recorder) throws SQLException {
        long begin = System.nanoTime();
        double service = awaitService(begin);
        System.out.printf("%s %s: service goes on after %.2f s%n", engine(), fault, service);
        awaitMore(recorder, 100);
        if (fault == Fault.FULL_DISK) {
            growTheBigTable();
        }
        if (fault != Fault.SLOW_SATELLITE) {
            await("the faulty satellite is no longer ONLINE: see its state in SHOW MULTIMED STATUS")
                    .atMost(FaultTestCluster.PATIENCE)
                    .until(() -> !bed().state(VICTIM).startsWith("ONLINE"));
            if (fault == Fault.HANG_SATELLITE) {
                assertThat(bed().state(VICTIM)).startsWith("DROPPED");
            }
            awaitMore(recorder, 100);
        }
    }

    /** Fills the table almost to the size at which the full disk begins. */
    private static void fillABigTable() throws SQLException {
        run(BIG_TABLE);
        insertBigRows(0, MAX_FILE_ROWS * 3 / 4);
        bed().awaitApplied();
    }

    /** Uses several transactions, so that others commit in between. */
    private static void growTheBigTable() throws SQLException {
        for (int from = MAX_FILE_ROWS; from < MAX_FILE_ROWS * 11 / 8; from += STEP) {
            insertBigRows(from, STEP);
        }
    }

    private static void insertBigRows(int from, int count) throws SQLException {
        run("INSERT INTO big (id) SELECT %d + i FROM %s".formatted(from, Series.to(count)));
    }

    private static void run(String sql) throws SQLException {
        try (Connection connection = bed().straight().connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
