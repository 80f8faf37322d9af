// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.model.SystemModel;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EngineSupervisorTest {
    @Test
    void shouldContinueAfterAnUnexpectedFailure() throws Exception {
        SystemModel model = SystemModel.parse("nodes:\n- {name: m, role: master}\n", "m.yaml");
        CountDownLatch polls = new CountDownLatch(3);
        CountDownLatch revived = new CountDownLatch(1);
        RunningEngine engine = (RunningEngine) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {RunningEngine.class}, (self, method, arguments) -> {
                    switch (method.getName()) {
                        case "pid":
                            return 1L;
                        case "node":
                            return model.master();
                        case "hasDied":
                            polls.countDown();
                            if (polls.getCount() > 0) {
                                throw new IllegalStateException("the state of the process is unknown");
                            }
                            return true;
                        case "revive":
                            revived.countDown();
                            return true;
                        default:
                            throw new UnsupportedOperationException(method.getName());
                    }
                });
        try (EngineSupervisor supervisor = EngineSupervisor.of(engine)) {
            assertThat(revived.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(supervisor).isNotNull();
        }
    }
}
