// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.rights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.dialect.CatalogReader;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.ReadRights;
import io.multimed.server.node.CriticalThreads;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A role whose rights cannot be read changes nothing for the others. */
@Timeout(60)
@Tag("slow")
class RoleRightsTest {
    private static final ReadRights SOME = new ReadRights(false, Set.of("secret"));
    private static final String LOCKED = "locked";

    private final AtomicInteger connections = new AtomicInteger();
    private final Map<String, AtomicInteger> attempts = new ConcurrentHashMap<>();
    private final RoleRights rights = new RoleRights(new Catalog(), new CriticalThreads());

    private final AtomicInteger checks = new AtomicInteger();

    private volatile boolean broken;
    private volatile Runnable meanwhile = () -> {};

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

        /** Runs {@code meanwhile} during the check. */
        @Override
        public void check(String role, String query, CatalogReader.Parameters parameters, Consumer<Boolean> then) {
            checks.incrementAndGet();
            meanwhile.run();
            then.accept(!query.contains("secret"));
        }

        @Override
        public void awaitVisibility() {}
    }

    /** Returns the kind of a read, of which the names are permitted, for the role. */
    private Classification.Kind limited(String query) {
        AtomicReference<Classification> limited = new AtomicReference<>();
        new SessionRights("ann", rights)
                .limit(
                        Classification.read(Set.of("item"), Set.of("item"), null),
                        false,
                        query,
                        statement -> {},
                        limited::set);
        return limited.get().kind();
    }

    /** The engine decides although the names permit the read: it may have found another table in the text. */
    @Test
    void shouldLeaveReadsToTheMasterThatItsEngineRefuses() {
        awaitKnown("ann");
        assertThat(limited("SELECT v FROM secret")).isEqualTo(Classification.Kind.EFFECT);
        assertThat(limited("SELECT v FROM secret")).isEqualTo(Classification.Kind.EFFECT);
        assertThat(checks).hasValue(2);
    }

    @Test
    void shouldCheckATextOnceUntilRightsChange() {
        awaitKnown("ann");
        assertThat(limited("SELECT v FROM item")).isEqualTo(Classification.Kind.PURE_READ);
        assertThat(limited("SELECT v FROM item")).isEqualTo(Classification.Kind.PURE_READ);
        assertThat(checks).hasValue(1);
        rights.changed();
        awaitKnown("ann");
        assertThat(limited("SELECT v FROM item")).isEqualTo(Classification.Kind.PURE_READ);
        assertThat(checks).hasValue(2);
    }

    @Test
    void shouldNotUseACheckThatAChangeHasOvertaken() {
        awaitKnown("ann");
        meanwhile = rights::changed;
        assertThat(limited("SELECT v FROM item")).isEqualTo(Classification.Kind.EFFECT);
        meanwhile = () -> {};
        awaitKnown("ann");
        assertThat(limited("SELECT v FROM item")).isEqualTo(Classification.Kind.PURE_READ);
        assertThat(checks).hasValue(2);
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
    @Tag("exhaustive")
    void shouldConnectAgainWhenTheConnectionHasFailed() {
        awaitKnown("ann");
        broken = true;
        awaitKnown("bob");
        awaitKnown("ann");
        assertThat(connections).hasValue(2);
    }
}
