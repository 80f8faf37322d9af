// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.evaluation.database.MultimedDatabase;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.schema.Scale;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests on running engines what the points of the service times rely on. */
@Tag("slow")
@Timeout(300)
@Tag("exhaustive")
class MeasuredSystemTest {
    private static final String ENGINE =
            System.getProperty("multimed.test.engines", "postgresql").split(",", -1)[0];

    private static final LoadPlan SHORT = new LoadPlan(0, 0, 0, 1, 1);

    private final StateFolder state = StateFolder.temporary("multimed-system-");
    private final Scope scope = new Scope(true, 2, List.of(ENGINE));
    private final Scale scale = DemandsFile.scale(scope);
    private final Workbench workbench = new Workbench(scope, state.path().resolve("data"), step -> {}, warning -> {});

    @AfterEach
    void stop() throws Exception {
        workbench.close();
        state.discard();
    }

    private static Set<Long> satellites(MeasuredSystem system) {
        return system.processes().entrySet().stream()
                .filter(entry -> entry.getValue().equals(MultimedDatabase.SATELLITES))
                .map(entry -> entry.getKey())
                .collect(Collectors.toSet());
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    /** The CPU time of a satellite that was added again has to count, and that of the removed one must not. */
    @Tag("exhaustive")
    @Test
    void shouldFollowTheProcessesOfSatellites() throws Exception {
        MeasuredSystem system = MeasuredSystem.of(2, scale, workbench);
        Set<Long> first = satellites(system);
        assertThat(first).hasSize(2).allMatch(MeasuredSystemTest::isAlive);
        system.change(1);
        Set<Long> one = satellites(system);
        assertThat(one).hasSize(1).isSubsetOf(first).allMatch(MeasuredSystemTest::isAlive);
        assertThat(first.stream().filter(MeasuredSystemTest::isAlive)).hasSize(1);
        system.change(2);
        Set<Long> again = satellites(system);
        assertThat(again).hasSize(2).containsAll(one).isNotEqualTo(first).allMatch(MeasuredSystemTest::isAlive);
        try (MeasuredLoad load = new MeasuredLoad(system, Work.Part.UPDATES, scale, 2)) {
            assertThat(load.round(SHORT).cpu())
                    .containsOnlyKeys(
                            Demands.CLIENT,
                            MultimedDatabase.MIDDLEWARE,
                            MultimedDatabase.MASTER,
                            MultimedDatabase.SATELLITES);
        }
        assertThat(MeasuredSystem.of(1, scale, workbench)).as("kept").isSameAs(system);
    }

    @Test
    void shouldRefuseFailedInteractions() throws Exception {
        MeasuredSystem system = MeasuredSystem.of(0, scale, workbench);
        try (MeasuredLoad load = new MeasuredLoad(system, Work.of(Mix.SHOPPING), scale, 2)) {
            load.warm(1);
            assertThat(load.round(SHORT).cpu("engine")).isPositive();
            try (Connection connection = system.database().target().connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("ALTER TABLE item RENAME TO gone");
            }
            assertThatThrownBy(() -> load.round(SHORT))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("interactions failed")
                    .hasMessageContaining("item");
        }
    }
}
