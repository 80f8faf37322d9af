// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A selection of engines by which no test would run is an error, and not a success. */
class EngineSelectionTest {
    private static final List<String> KNOWN = List.of("mariadb", "mysql", "postgresql");

    private final List<String> skipped = new ArrayList<>();

    private static EngineSelection parse(String property) {
        return EngineSelection.parse(
                property, KNOWN, engine -> engine.equals("mysql") ? Optional.of("not installed") : Optional.empty());
    }

    private List<String> choose(String property, List<String> concerned, boolean each) {
        return parse(property).choose(concerned, each, (engine, why) -> skipped.add(engine));
    }

    @Test
    void shouldTakeTheFirstEngineThatIsHere() {
        assertThat(choose("", KNOWN, false)).containsExactly("postgresql");
        assertThat(choose("", List.of("mysql", "mariadb"), false)).containsExactly("mariadb");
        assertThat(skipped).isEmpty();
        assertThat(choose("", List.of("mysql"), false)).isEmpty();
        assertThat(skipped).containsExactly("mysql");
    }

    @Test
    void shouldTakeEachEngineThatIsHere() {
        assertThat(choose("", KNOWN, true)).containsExactly("postgresql", "mariadb");
        assertThat(skipped).containsExactly("mysql");
    }

    @Test
    void shouldTakeTheEnginesThatAreNamed() {
        assertThat(choose("postgresql, mariadb", KNOWN, false)).containsExactly("postgresql", "mariadb");
        assertThat(choose("mariadb", KNOWN, true)).containsExactly("mariadb");
        assertThat(choose("postgresql", List.of("mariadb", "mysql"), false)).isEmpty();
        assertThat(skipped).isEmpty();
        assertThat(choose("postgresql,mariadb,mysql?", KNOWN, false)).containsExactly("postgresql", "mariadb");
        assertThat(skipped).containsExactly("mysql");
    }

    @Test
    void shouldFailIfAnEngineIsUnknownOrMissing() {
        for (String property : List.of("postgres", "postgresql,", "postgresql mariadb", "oracle?")) {
            assertThatThrownBy(() -> parse(property))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("multimed.test.engines names \"")
                    .hasMessageContaining("[mariadb, mysql, postgresql]");
        }
        assertThatThrownBy(() -> choose("postgresql,mysql", KNOWN, false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("multimed.test.engines names mysql: not installed");
    }
}
