// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LifecycleTest {
    private final Lifecycle lifecycle = new Lifecycle();
    private final List<String> closed = new ArrayList<>();

    private AutoCloseable component(String name) {
        return () -> closed.add(name);
    }

    @Test
    void shouldStopInReverseOrderOnce() {
        lifecycle.add(component("first"));
        lifecycle.start(component("second"), () -> {});
        lifecycle.stop();
        lifecycle.stop();
        assertThat(closed).containsExactly("second", "first");
    }

    @Test
    void shouldStopTheOthersIfOneDoesNotStopCleanly() {
        lifecycle.add(component("first"));
        lifecycle.add(() -> {
            throw new IOException("does not stop");
        });
        lifecycle.stop();
        assertThat(closed).containsExactly("first");
    }

    @Test
    void shouldCloseAComponentWhoseStartFails() {
        assertThatThrownBy(() -> lifecycle.start(component("port"), () -> {
                    throw new IOException("in use");
                }))
                .hasMessage("in use");
        lifecycle.stop();
        assertThat(closed).containsExactly("port");
    }

    /** A middleware may be overtaken while it starts: its port must not remain open. */
    @Test
    void shouldCloseAComponentThatStartsAfterTheStop() {
        assertThatThrownBy(() -> lifecycle.start(component("port"), lifecycle::stop))
                .hasMessage("the middleware was stopped while it started");
        assertThat(closed).containsExactly("port");
        assertThatThrownBy(() -> lifecycle.add(component("late"))).isInstanceOf(IllegalStateException.class);
        assertThat(closed).containsExactly("port", "late");
    }

    @Test
    void shouldLetAllCallersWaitForTheStop() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        lifecycle.add(() -> {
            begun.countDown();
            assertThat(mayEnd.await(30, TimeUnit.SECONDS)).isTrue();
            closed.add("slow");
        });
        Thread other = new Thread(lifecycle::stop);
        other.start();
        begun.await();
        assertThat(lifecycle.isStopping()).isTrue();
        mayEnd.countDown();
        lifecycle.stop();
        assertThat(closed).containsExactly("slow");
        other.join();
    }
}
