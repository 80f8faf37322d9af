// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Connection;
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
        assertThat(unreset.countOlder(HOUR)).isZero();
        assertThat(unreset.takeOlder(HOUR)).isNull();
        assertThat(unreset.countOlder(0)).isOne();
        assertThat(unreset.takeOlder(0)).isSameAs(recent);
        assertThat(unreset.takeOlder(0)).isNull();
        assertThat(unreset.take(1)).isNull();
    }

    @Test
    void shouldDoubtAConnectionThatHasWaited() {
        long now = System.nanoTime();
        assertThat(new UnresetConnections.Left(1, leave(1).connection(), 0, now - HOUR, now).isDoubtful())
                .isFalse();
        assertThat(new UnresetConnections.Left(1, leave(2).connection(), 0, now - HOUR, now - HOUR).isDoubtful())
                .isTrue();
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
        return new UnresetConnections.Left(session, connection, 0, since, since);
    }
}
