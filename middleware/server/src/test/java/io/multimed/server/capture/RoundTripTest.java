// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.testing.CountingProxy;
import io.multimed.server.testing.TestCluster;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Counts the requests of driver calls between the driver and the middleware. */
@Tag("slow")
@Timeout(120)
@ParameterizedClass
@EachEngine
class RoundTripTest {
    private static TestCluster cluster;
    private static CountingProxy proxy;
    private static Connection connection;

    RoundTripTest(String engine) {
        assertThat(cluster.engine("master").node().engine()).isEqualTo(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
        cluster.run("CREATE TABLE t (id int PRIMARY KEY, v varchar(40))");
        proxy = new CountingProxy(cluster);
        connection = proxy.connect();
    }

    @AfterParameterizedClassInvocation
    static void stop() throws Exception {
        connection.close();
        proxy.close();
        cluster.close();
    }

    private interface Use {
        void run() throws Exception;
    }

    private static int requests(Use use) throws Exception {
        int before = proxy.frames();
        use.run();
        return proxy.frames() - before;
    }

    @Test
    void shouldAnswerDatabaseMetaDataInOneRoundTripAndKeepConstants() throws Exception {
        DatabaseMetaData data = connection.getMetaData();
        List<Method> methods = Arrays.stream(DatabaseMetaData.class.getMethods())
                .filter(method -> !List.of("unwrap", "isWrapperFor").contains(method.getName()))
                .sorted(Comparator.comparing(Method::toString))
                .toList();
        Map<String, Integer> tooMany = new TreeMap<>();
        for (Method method : methods) {
            int first = requests(() -> call(data, method));
            int again = requests(() -> call(data, method));
            int allowed = method.getReturnType() == ResultSet.class || isRefused(data, method) ? 1 : 0;
            if (first > 1 || again > allowed) {
                tooMany.put(method.toString(), Math.max(first, again));
            }
        }
        assertThat(tooMany).isEmpty();
        assertThat(methods).hasSizeGreaterThan(170);
    }

    private static boolean isRefused(DatabaseMetaData data, Method method) throws Exception {
        try {
            method.invoke(data, arguments(method));
            return false;
        } catch (InvocationTargetException e) {
            return true;
        }
    }

    /** Calls the method and reads all rows; the name of the table limits their number. */
    private static void call(DatabaseMetaData data, Method method) throws Exception {
        try {
            if (method.invoke(data, arguments(method)) instanceof ResultSet rows) {
                while (rows.next()) {
                    rows.getObject(1);
                }
                rows.close();
            }
        } catch (InvocationTargetException e) {
            assertThat(e.getCause()).isInstanceOf(SQLException.class);
        }
    }

    private static Object[] arguments(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(type -> type == String.class
                        ? (Object) "t"
                        : type == int.class ? 1 : type == boolean.class ? true : null)
                .toArray();
    }

    @Test
    void shouldReturnTheProductAndSetUpPooledConnectionsWithoutRoundTrips() throws Exception {
        String product;
        try (Connection direct = cluster.direct("master")) {
            DatabaseMetaData engines = direct.getMetaData();
            product = engines.getDatabaseProductName() + engines.getDatabaseProductVersion();
        }
        int usual = connection.getTransactionIsolation();
        int other = usual == Connection.TRANSACTION_REPEATABLE_READ
                ? Connection.TRANSACTION_READ_COMMITTED
                : Connection.TRANSACTION_REPEATABLE_READ;
        assertThat(requests(() -> {
                    DatabaseMetaData data = connection.getMetaData();
                    assertThat(data.getDatabaseProductName() + data.getDatabaseProductVersion())
                            .isEqualTo(product);
                    connection.setReadOnly(true);
                    connection.setAutoCommit(false);
                    connection.setTransactionIsolation(other);
                    connection.commit();
                    connection.setReadOnly(false);
                    connection.setAutoCommit(true);
                    connection.setTransactionIsolation(usual);
                    connection.setNetworkTimeout(Runnable::run, 60_000);
                    connection.clearWarnings();
                }))
                .isZero();
        assertThat(requests(() -> connection.isValid(5))).isEqualTo(1);
    }
}
