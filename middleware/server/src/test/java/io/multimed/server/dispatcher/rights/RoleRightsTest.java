package io.multimed.server.dispatcher.rights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.sql.ReadRights;
import io.multimed.server.node.CriticalThreads;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A role whose rights cannot be read changes nothing for the others. */
@Timeout(60)
class RoleRightsTest {
    private static final ReadRights SOME = new ReadRights(false, Set.of("secret"));
    private static final String LOCKED = "locked";

    private final AtomicInteger connections = new AtomicInteger();
    private final Map<String, AtomicInteger> attempts = new ConcurrentHashMap<>();
    private final RoleRights rights = new RoleRights(new Catalog(), new CriticalThreads());

    private volatile boolean broken;

    private final class Catalog implements RoleRights.Source {
        @Override
        public Connection open() {
            broken = false;
            connections.incrementAndGet();
            return (Connection) Proxy.newProxyInstance(
                    RoleRightsTest.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (self, method, given) -> switch (method.getName()) {
                        case "isValid" -> !broken;
                        case "getAutoCommit" -> true;
                        default -> null;
                    });
        }

        @Override
        public ReadRights rights(Connection connection, String role) throws SQLException {
            attempts.computeIfAbsent(role, unused -> new AtomicInteger()).incrementAndGet();
            if (role.equals(LOCKED) || broken) {
                throw new SQLException("account is locked", "HY000", 4151);
            }
            return SOME;
        }

        @Override
        public String state(Connection connection) {
            return "same";
        }

        @Override
        public void awaitVisibility() {}
    }

    @BeforeEach
    void start() {
        rights.start();
    }

    @AfterEach
    void close() {
        rights.close();
    }

    private int attempts(String role) {
        return attempts.getOrDefault(role, new AtomicInteger()).get();
    }

    private void awaitKnown(String role) {
        await().until(() -> rights.of(role).equals(SOME));
    }

    @Test
    void shouldKeepTheRightsOfOthersWhenARoleCannotLogIn() {
        awaitKnown("ann");
        await().until(() -> {
            assertThat(rights.of(LOCKED)).isEqualTo(ReadRights.NONE);
            assertThat(rights.of("ann")).isEqualTo(SOME);
            return attempts(LOCKED) >= 3;
        });
        awaitKnown("bob");
        assertThat(attempts("ann")).isEqualTo(1);
        assertThat(connections).hasValue(1);
    }

    @Test
    void shouldConnectAgainWhenTheConnectionHasFailed() {
        awaitKnown("ann");
        broken = true;
        awaitKnown("bob");
        awaitKnown("ann");
        assertThat(connections).hasValue(2);
    }
}
