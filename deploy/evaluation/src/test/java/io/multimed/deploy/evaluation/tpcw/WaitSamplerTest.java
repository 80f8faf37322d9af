// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.tpcw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.multimed.deploy.evaluation.database.PlainDatabase;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.launcher.LocalEngines;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.tpcw.run.Spread;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the samples of waits on PostgreSQL. */
@Timeout(120)
class WaitSamplerTest {
    private static final String ENGINE = "postgresql";
    private static final String LOCK = "Lock: advisory";

    /** Accounts of engines can pass through it. */
    private final StateFolder state = StateFolder.temporary("multimed-waits-");

    private PlainDatabase engine;

    @BeforeEach
    void start() {
        assumeThat(LocalEngines.missing(ENGINE)).isEmpty();
        engine = new PlainDatabase(ENGINE, 1, 10, 1, state.path().resolve("plain"));
    }

    @AfterEach
    void stop() {
        if (engine != null) {
            engine.close();
        }
        state.discard();
    }

    private Target target() {
        return engine.target();
    }

    private static void execute(Target target, String statement) {
        try (Connection connection = target.connect();
                Statement session = connection.createStatement()) {
            session.execute(statement);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(Statement statement, String condition) throws SQLException {
        boolean met;
        do {
            try (ResultSet row = statement.executeQuery(condition)) {
                row.next();
                met = row.getBoolean(1);
            }
        } while (!met);
    }

    @Test
    void shouldSampleWhileARoundIsMeasuredOnly() throws Exception {
        try (Connection connection = target().connect();
                Statement statement = connection.createStatement();
                WaitSampler sampler = WaitSampler.open(target())) {
            sampler.begins(0, 1); // no session is active
            sampler.ends(0, 1);
            assertThat(sampler.values("waits", "here")).isEmpty();
            statement.execute("SELECT pg_advisory_lock(1)");
            Thread waiting = new Thread(() -> execute(target(), "SELECT pg_advisory_lock(1)"), "waiting");
            waiting.start();
            await(statement, "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'advisory'");
            for (int round = 2; round <= 3; round++) {
                sampler.begins(0, round);
                sampler.ends(0, round);
            }
            statement.execute("SELECT pg_advisory_unlock(1)");
            waiting.join();
            Spread always = new Spread(100, 100, 100);
            assertThat(sampler.values("waits", "here"))
                    .containsExactly(
                            new Value("waits", LOCK, "here", always, 0),
                            new Value("waits", "others", "here", new Spread(0, 0, 0), 0));
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldFailIfASampleFails() throws Exception {
        try (Connection connection = target().connect();
                Statement statement = connection.createStatement();
                WaitSampler sampler = WaitSampler.open(target())) {
            statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()");
            sampler.begins(0, 1);
            assertThatThrownBy(() -> sampler.ends(0, 1))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("the waits of the engine cannot be sampled: ");
            assertThat(sampler.values("waits", "here")).isEmpty();
        }
    }

    /** A comparison that fails closes the sampler in a round. */
    @Test
    void shouldStopWhenItIsClosed() throws Exception {
        try (WaitSampler sampler = WaitSampler.open(target())) {
            sampler.begins(0, 1);
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().equals("wait-sampler"));
    }
}
