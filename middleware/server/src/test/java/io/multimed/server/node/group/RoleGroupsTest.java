// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.Engine;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The connections of roles for commit groups are bounded, shared fairly, and closed when they are idle. */
@Timeout(60)
@Tag("exhaustive")
class RoleGroupsTest {
    private static final int MAX_CONNECTIONS = 4;

    private final ExecutorService threads = Executors.newFixedThreadPool(MAX_CONNECTIONS);
    private final Map<String, AtomicInteger> open = new ConcurrentHashMap<>();
    private final AtomicInteger logins = new AtomicInteger();
    private final RoleGroups groups =
            new RoleGroups("master", proxy(Engine.class, (self, method, given) -> null), threads, MAX_CONNECTIONS);

    private volatile boolean refuses;

    RoleGroupsTest() {
        groups.openBy(this::open);
    }

    @AfterEach
    void close() {
        groups.close();
        threads.shutdownNow();
    }

    private Connection open(String role) throws SQLException {
        logins.incrementAndGet();
        if (role.equals("unloadable")) {
            throw new NoClassDefFoundError("org/example/Plugin");
        }
        if (refuses) {
            throw new SQLException("refused", "28000");
        }
        AtomicInteger ofRole = open.computeIfAbsent(role, key -> new AtomicInteger());
        ofRole.incrementAndGet();
        boolean[] closed = {false};
        return proxy(Connection.class, (self, method, given) -> switch (method.getName()) {
            case "isClosed" -> closed[0];
            case "isValid" -> true;
            case "unwrap" -> self;
            case "close" -> {
                if (!closed[0]) {
                    ofRole.decrementAndGet();
                }
                closed[0] = true;
                yield null;
            }
            default -> null;
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(RoleGroupsTest.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private int opened(String role) {
        return open.getOrDefault(role, new AtomicInteger()).get();
    }

    private int opened() {
        return open.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    private void awaitReady(String role) {
        await().until(() -> groups.isReady(role));
    }

    @Test
    void shouldOpenConnectionsInTheBackground() throws SQLException {
        assertThat(groups.isReady("a")).isFalse();
        awaitReady("a");
        Connection taken = groups.take("a");
        assertThat(groups.has(taken)).isTrue();
        groups.giveBack(taken);
        assertThat(groups.take("a")).isSameAs(taken);
        assertThatThrownBy(() -> groups.take("b"))
                .isInstanceOf(SQLException.class)
                .extracting("SQLState")
                .isEqualTo("57000");
    }

    @Test
    void shouldNotRepeatARefusedLoginAtOnce() {
        refuses = true;
        assertThat(groups.isReady("a")).isFalse();
        await().until(() -> logins.get() == 1);
        for (int i = 0; i < 100; i++) {
            assertThat(groups.isReady("a")).isFalse();
        }
        assertThat(logins).hasValue(1);
    }

    @Test
    void shouldNotLoseAPlaceByAnErrorOfALogin() throws SQLException {
        assertThat(groups.isReady("unloadable")).isFalse();
        await().until(() -> logins.get() == 1);
        for (int i = 0; i < MAX_CONNECTIONS; i++) {
            awaitReady("role" + i);
            assertThat(groups.take("role" + i).isClosed()).isFalse();
        }
        assertThat(opened()).isEqualTo(MAX_CONNECTIONS);
    }

    @Test
    void shouldLimitTheConnectionsOfAllRoles() throws SQLException {
        List<Connection> taken = new ArrayList<>();
        for (int i = 0; i < MAX_CONNECTIONS; i++) {
            awaitReady("role" + i);
            taken.add(groups.take("role" + i));
        }
        int before = logins.get();
        assertThat(groups.isReady("another")).isFalse();
        groups.execute("role0", () -> {});
        assertThat(opened()).isEqualTo(MAX_CONNECTIONS);
        assertThat(logins).hasValue(before);
        taken.forEach(groups::giveBack);
        awaitReady("another"); // replaces a connection that has been idle for a while
        assertThat(opened()).isEqualTo(MAX_CONNECTIONS);
    }

    @Test
    void shouldRunAsManyTasksOfARoleAsItHasConnections() {
        awaitReady("a");
        AtomicInteger running = new AtomicInteger();
        AtomicInteger excess = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        for (int i = 0; i < 200; i++) {
            groups.execute("a", () -> {
                if (running.incrementAndGet() > MAX_CONNECTIONS) {
                    excess.incrementAndGet();
                }
                use("a", done);
                running.decrementAndGet();
            });
        }
        await().until(() -> done.get() == 200);
        assertThat(excess).hasValue(0);
        assertThat(opened("a")).isBetween(1, MAX_CONNECTIONS);
    }

    private void use(String role, AtomicInteger done) {
        try {
            groups.giveBack(groups.take(role));
            done.incrementAndGet();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldCloseIdleConnections() {
        awaitReady("a");
        groups.closeIdle(Long.MAX_VALUE);
        assertThat(opened("a")).isEqualTo(1);
        groups.closeIdle(0);
        assertThat(opened("a")).isZero();
    }

    @Test
    void shouldCloseOutdatedConnectionsAfterTheirUse() throws SQLException {
        awaitReady("a");
        Connection taken = groups.take("a");
        groups.renew();
        assertThat(opened("a")).isEqualTo(1);
        groups.giveBack(taken);
        assertThat(opened("a")).isZero();
    }
}
