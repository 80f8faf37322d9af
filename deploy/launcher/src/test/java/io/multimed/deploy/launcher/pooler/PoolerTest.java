// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.pooler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.Launchers;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests what depends on the versions of poolers. */
class PoolerTest {
    private static Pooler pooler(String name) {
        return Launchers.poolers("postgresql").stream()
                .filter(pooler -> pooler.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void shouldFindTheVersionInTheOutputOfAProgram() {
        assertThat(Version.of("PgBouncer 1.18.0\nlibevent 2.1.12-stable")).hasToString("1.18.0");
        Version pgpool = Version.of("pgpool-II version 4.3.5 (tamahomeboshi)");
        assertThat(pgpool.isAtLeast(4, 3)).isTrue();
        assertThat(pgpool.isAtLeast(4, 4)).isFalse();
        assertThat(pgpool.isAtLeast(3, 9)).isTrue();
        assertThatThrownBy(() -> Version.of("usage: x")).hasMessageContaining("usage: x");
    }

    /** Before 1.21, a prepared statement of one connection to the server is unknown on the next one. */
    @Test
    void shouldPrepareStatementsOnlyThroughAPoolerThatKnowsThem() {
        Pooler pgbouncer = pooler("pgbouncer");
        assertThat(pgbouncer.driverSettings(Version.of("1.18.0"))).isEqualTo(Map.of("prepareThreshold", "0"));
        assertThat(pgbouncer.remark(Version.of("1.18.0"))).contains("prepareThreshold=0");
        assertThat(pgbouncer.driverSettings(Version.of("1.21.0"))).isEmpty();
        assertThat(pgbouncer.remark(Version.of("1.24.1"))).isEmpty();
        assertThat(pooler("pgpool").driverSettings(Version.of("4.3.5"))).isEmpty();
    }

    @Test
    void shouldEndPgBouncerWithoutWaitingForClients() {
        assertThat(pooler("pgbouncer").stopSignal(Version.of("1.18.0"))).isEqualTo("TERM");
        assertThat(pooler("pgbouncer").stopSignal(Version.of("1.23.0"))).isEqualTo("QUIT");
    }

    @Test
    void shouldHaveNoPoolersForOtherEngines() {
        assertThat(Launchers.poolers("mariadb")).isEmpty();
    }
}
