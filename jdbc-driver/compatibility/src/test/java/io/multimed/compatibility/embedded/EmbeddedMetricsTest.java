// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Metrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Map;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an application's monitoring shows of the dispatcher within the application. */
@Tag("slow")
class EmbeddedMetricsTest {
    private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();

    /** Stands for the application's own view of the bean, by the names of its attributes. */
    public interface Bean {
        String getDatabase();

        Map<String, Map<String, String>> getNodes();

        Map<String, Double> getMetrics();
    }

    /** The commands connect to the port; there is none unless the model says so. */
    @Test
    void shouldOpenAPortIfTheModelSaysSo(@TempDir Path without, @TempDir Path with) throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        String url = "jdbc:multimed://127.0.0.1:%d/shop".formatted(port);
        try (PrimaryAndStandby engines = new PrimaryAndStandby(without, "listen: {port: %d}\n".formatted(port));
                Connection open = engines.connect()) {
            assertThat(open.isValid(5)).isTrue();
            assertThatThrownBy(() -> DriverManager.getConnection(url)).hasMessageContaining("cannot connect");
        }
        try (PrimaryAndStandby engines =
                        new PrimaryAndStandby(with, "listen: {port: %d, embedded: true}\n".formatted(port));
                Connection open = engines.connect();
                Connection outside = DriverManager.getConnection(url);
                Statement statement = outside.createStatement();
                ResultSet rows = statement.executeQuery("SHOW MULTIMED STATUS")) {
            assertThat(open.isValid(5)).isTrue();
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).isEqualTo("primary");
        }
    }

    @Test
    void shouldBeInTheApplicationsRegistryAndInManagementExtensions(@TempDir Path folder) throws Exception {
        SimpleMeterRegistry application = new SimpleMeterRegistry();
        Metrics.addRegistry(application);
        ObjectName pattern = new ObjectName("io.multimed:type=Middleware,database=\"shop\",*");
        try (PrimaryAndStandby engines = new PrimaryAndStandby(folder, "")) {
            try (Connection connection = engines.connect();
                    Statement statement = connection.createStatement()) {
                statement.executeUpdate("UPDATE item SET v = v + 1 WHERE id = 1");
                assertThat(application
                                .get("multimed.commits")
                                .tag("database", "shop")
                                .functionCounter()
                                .count())
                        .isGreaterThan(0);
                await("the state of the standby is read")
                        .until(() -> application.get("multimed.scn").gauge().value() > 0
                                && application.find("multimed.node.online").gauges().stream()
                                        .anyMatch(gauge ->
                                                "replica".equals(gauge.getId().getTag("node")) && gauge.value() == 1));
                ObjectName name = BEANS.queryNames(pattern, null).iterator().next();
                Bean bean = JMX.newMXBeanProxy(BEANS, name, Bean.class);
                assertThat(bean.getDatabase()).isEqualTo("shop");
                assertThat(bean.getNodes()).containsKeys("primary", "replica");
                assertThat(bean.getNodes().get("primary")).containsEntry("state", "ONLINE");
                assertThat(bean.getMetrics().get("multimed_commits{database=shop}"))
                        .isGreaterThan(0);
            }
            await("the dispatcher ends after its last connection")
                    .until(() -> BEANS.queryNames(pattern, null).isEmpty()
                            && application.getMeters().isEmpty());
        } finally {
            Metrics.removeRegistry(application);
        }
    }
}
