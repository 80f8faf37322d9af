// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.server.dispatcher.session.PinnedResource;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The limit, the SQLState and the message of an idle client depend on the resource that the client holds. */
class IdleTimeoutsTest {
    private final IdleTimeouts timeouts = new IdleTimeouts(Duration.ofMillis(1_500), Duration.ofSeconds(60));

    @Test
    void shouldLimitClientsByTheResourceThatTheyHold() {
        assertThat(timeouts.of(PinnedResource.NOTHING)).as("no limit").isZero();
        assertThat(timeouts.of(PinnedResource.TRANSACTION)).isEqualTo(Duration.ofMillis(1_500));
        assertThat(timeouts.of(PinnedResource.SESSION_STATE)).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void shouldCheckNoClientsWithoutALimit() {
        assertThat(timeouts.areSet()).isTrue();
        assertThat(new IdleTimeouts(Duration.ZERO, Duration.ofSeconds(1)).areSet())
                .isTrue();
        assertThat(new IdleTimeouts(Duration.ZERO, Duration.ZERO).areSet()).isFalse();
    }

    @Test
    void shouldReportTheSettingThatEndedTheSession() {
        assertThat(IdleTimeouts.sqlState(PinnedResource.TRANSACTION)).isEqualTo("25P03");
        assertThat(IdleTimeouts.sqlState(PinnedResource.SESSION_STATE)).isEqualTo("57P05");
        assertThat(timeouts.reason(PinnedResource.TRANSACTION)).contains("1.5 s", "listen.idle-in-transaction");
        assertThat(timeouts.reason(PinnedResource.SESSION_STATE)).contains("60.0 s", "listen.idle-pinned");
    }
}
