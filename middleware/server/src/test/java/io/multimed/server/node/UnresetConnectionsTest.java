// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which connections wait for which sessions; no engine is needed. */
class UnresetConnectionsTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final UnresetConnections unreset = new UnresetConnections(3);

    @Test
    void shouldGiveASessionTheConnectionThatItHasLeft() {
        UnresetConnections.Left first = leave(1);
        UnresetConnections.Left second = leave(2);
        assertThat(unreset.take(1)).isSameAs(first);
        assertThat(unreset.take(2)).isSameAs(second);
        assertThat(unreset.take(1)).isNull();
    }

    @Test
    void shouldGiveNoConnectionOfAnotherSessionAsLongAsThePoolHasOthers() {
        leave(1);
        leave(2);
        assertThat(unreset.take(3)).isNull();
    }

    @Test
    void shouldGiveTheOldestConnectionIfThePoolHasNoOther() {
        UnresetConnections.Left oldest = leave(1);
        leave(2);
        assertThat(unreset.take(3)).isNull();
        assertThat(unreset.take(4)).isSameAs(oldest);
    }

    @Test
    void shouldCountConnectionsThatReturnToThePool() {
        leave(1);
        unreset.take(2);
        unreset.returned();
        unreset.take(3);
        assertThat(unreset.take(4)).isNull();
    }

    @Test
    void shouldKeepOneConnectionForASession() {
        leave(1);
        unreset.take(5);
        assertThat(unreset.leave(left(1, System.nanoTime()))).isFalse();
    }

    @Test
    void shouldReturnAConnectionThatWasNotResetForLong() {
        unreset.take(1);
        assertThat(unreset.leave(left(1, System.nanoTime() - HOUR))).isFalse();
        unreset.returned();
        UnresetConnections.Left recent = leave(1);
        assertThat(unreset.takeOlder(HOUR)).isEmpty();
        assertThat(unreset.takeOlder(0)).isEqualTo(List.of(recent));
        assertThat(unreset.take(1)).isNull();
    }

    private UnresetConnections.Left leave(long session) {
        UnresetConnections.Left left = left(session, System.nanoTime());
        unreset.take(session);
        assertThat(unreset.leave(left)).isTrue();
        return left;
    }

    private static UnresetConnections.Left left(long session, long since) {
        Connection connection = (Connection) Proxy.newProxyInstance(
                UnresetConnectionsTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, args) ->
                        method.getName().equals("hashCode") ? System.identityHashCode(proxy) : proxy == args[0]);
        return new UnresetConnections.Left(session, connection, 0, since);
    }
}
