// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.bench.workload.RowWorkload;
import io.multimed.deploy.bench.workload.Workload;
import io.multimed.deploy.evaluation.database.ClusterSpec;
import io.multimed.deploy.evaluation.database.Level;
import io.multimed.deploy.evaluation.database.MultimedDatabase;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests on a running system that a part of the cost is really taken away. */
@Tag("exhaustive")
@Timeout(300)
class CostFigureTest {
    private static final String ENGINE = "postgresql";
    private static final int COMMITS = 50;
    private static final int MAX_SECONDS = 60;
    private static final String PERSISTENCE =
            "SELECT ascii(relpersistence::text) FROM pg_class WHERE relname = '%s'".formatted(RowWorkload.TABLE);
    private static final String CHANGES = "SELECT sum(counter) FROM " + RowWorkload.TABLE;

    /** Accounts of engines can pass through it. */
    private final StateFolder state = StateFolder.temporary("multimed-cost-");

    private final Scope scope = new Scope(true, 2, List.of(ENGINE));

    @AfterEach
    void removeFolder() {
        state.discard();
    }

    /** The counts of records and of flushes of the master's log. */
    private record Log(long records, long flushes) {
        static Log of(Target master) throws SQLException {
            try (Connection connection = master.connect();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT wal_records, wal_sync FROM pg_stat_wal")) {
                row.next();
                return new Log(row.getLong(1), row.getLong(2));
            }
        }
    }

    /**
     * Returns the flushes of the master's log while clients commit. Commits until sessions have reported the log of
     * some of them, and at least one flush if the log is flushed.
     */
    private static long flushes(MultimedDatabase database, boolean expected) throws SQLException {
        try (Connection connection = database.target().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE flushed (id int PRIMARY KEY, counter int)");
            statement.execute("INSERT INTO flushed VALUES (1, 0)");
            Log before = Log.of(database.master());
            Log now;
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_SECONDS);
            do {
                assertThat(System.nanoTime())
                        .as("sessions report their log in time")
                        .isLessThan(deadline);
                for (int i = 0; i < COMMITS; i++) {
                    statement.executeUpdate("UPDATE flushed SET counter = counter + 1 WHERE id = 1");
                }
                now = Log.of(database.master());
            } while (now.records < before.records + 10 * COMMITS || (expected && now.flushes == before.flushes));
            return now.flushes - before.flushes;
        }
    }

    private long flushes(String settings, boolean expected) throws Exception {
        ClusterSpec spec = CostFigure.system(scope, Level.C1, 0, settings);
        try (MultimedDatabase database = new MultimedDatabase(spec, state.path().resolve("flush-" + expected))) {
            return flushes(database, expected);
        }
    }

    /** Otherwise the bar without a log would be that of all parts. */
    @Test
    void shouldTakeTheLogOfTheSatellitesAway() throws Exception {
        assumeTrue(System.getProperty("multimed.test.engines", ENGINE).contains(ENGINE));
        RowWorkload workload = new RowWorkload(RowWorkload.Operation.COMMIT, 10, 1);
        ClusterSpec spec = CostFigure.system(scope, Level.C1, 1, "");
        try (MultimedDatabase database = new MultimedDatabase(spec, state.path().resolve("log"));
                Connection connection = database.target().connect()) {
            workload.prepare(connection);
            database.settle();
            assertThat(number(database.satellites().get(0), PERSISTENCE)).isEqualTo('p');
            CostFigure.takeAway(CostFigure.Without.LOG_OF_SATELLITES, database);
            assertThat(number(database.satellites().get(0), PERSISTENCE)).isEqualTo('u');
            assertThat(number(database.master(), PERSISTENCE)).isEqualTo('p');
            try (Workload.Client client = workload.open(connection, 0)) {
                client.execute();
            }
            database.settle();
            assertThat(number(database.satellites().get(0), CHANGES)).isEqualTo(1);
        }
    }

    private static long number(Target target, String query) throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    @Test
    void shouldTakeTheFlushAway() throws Exception {
        assumeTrue(System.getProperty("multimed.test.engines", ENGINE).contains(ENGINE));
        assertThat(flushes("", true)).isPositive();
        assertThat(flushes(CostFigure.NO_FLUSH, false)).isZero();
    }
}
