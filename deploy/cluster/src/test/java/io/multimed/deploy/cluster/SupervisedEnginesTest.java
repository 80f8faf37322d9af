// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import org.junit.jupiter.api.Test;

class SupervisedEnginesTest {
    /** A satellite may be added while the cluster stops. */
    @Test
    void shouldKeepNoEngineThatStartsAfterTheStop() throws Exception {
        SystemModel model = SystemModel.parse("""
                database: shop
                engine: postgresql
                nodes:
                - {name: master, role: master}
                - {name: here, role: satellite, source: external, url: "jdbc:postgresql://h/d", user: u, password: ""}
                - {name: late, role: satellite, source: external, url: "jdbc:postgresql://h/e", user: u, password: ""}
                """, "test");
        NodeSpec late = model.satellites().get(1);
        StateFolder state = StateFolder.temporary("multimed-test-");
        try (SupervisedEngines engines = new SupervisedEngines(model, state)) {
            assertThat(engines.launch(model.satellites().get(0)).node()).isEqualTo("here");
            engines.close();
            assertThatThrownBy(() -> engines.launch(late))
                    .isInstanceOf(EngineException.class)
                    .hasMessage("late is not started, because all engines are stopped");
            assertThatThrownBy(() -> engines.engine("late")).isInstanceOf(NullPointerException.class);
        } finally {
            state.discard();
        }
    }
}
