// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.monitoring;

import io.multimed.server.dispatcher.administration.MetricSample;
import io.multimed.server.dispatcher.administration.StatusReport;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows a middleware to Java Management Extensions, as {@code io.multimed:type=Middleware,database="...",instance=N}. A
 * process may run several. A process that has no management works without.
 */
public final class ManagementBean implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ManagementBean.class);

    private static final AtomicInteger INSTANCES = new AtomicInteger();

    private final MBeanServer server;
    private final ObjectName name;

    private ManagementBean(MBeanServer server, ObjectName name) {
        this.server = server;
        this.name = name;
    }

    /** Registers the bean until it is closed. */
    public static AutoCloseable register(String database, Supplier<StatusReport> status, Metrics metrics) {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            ObjectName name = new ObjectName("io.multimed:type=Middleware,database=%s,instance=%d"
                    .formatted(ObjectName.quote(database), INSTANCES.incrementAndGet()));
            server.registerMBean(
                    new StandardMBean(new Shown(database, status, metrics), MiddlewareMXBean.class, true), name);
            return new ManagementBean(server, name);
        } catch (JMException | SecurityException e) {
            LOG.warn("Java Management Extensions do not show the middleware: {}", e.toString());
            return () -> {};
        }
    }

    @Override
    public void close() {
        try {
            server.unregisterMBean(name);
        } catch (JMException e) {
            LOG.debug("{} is not registered", name, e);
        }
    }

    private record Shown(String database, Supplier<StatusReport> status, Metrics metrics) implements MiddlewareMXBean {
        @Override
        public String getDatabase() {
            return database;
        }

        @Override
        public Map<String, Map<String, String>> getNodes() {
            Map<String, Map<String, String>> nodes = new LinkedHashMap<>();
            status.get().nodes().forEach(node -> nodes.put(node.name(), properties(node)));
            return nodes;
        }

        private static Map<String, String> properties(StatusReport.NodeStatus node) {
            Map<String, String> properties = new LinkedHashMap<>();
            properties.put("role", node.role());
            properties.put("state", node.state());
            properties.put("cores", node.cores());
            properties.put("applied", node.lsn() == null ? Long.toString(node.applied()) : node.lsn());
            properties.put("lagMillis", Double.toString(node.lagMillis()));
            properties.put("active", Integer.toString(node.active()));
            properties.put("waiting", Integer.toString(node.waiting()));
            properties.put("connections", Integer.toString(node.connections()));
            properties.put("reads", Long.toString(node.reads()));
            properties.put("updates", Long.toString(node.updates()));
            properties.put("trouble", node.trouble() == null ? "" : node.trouble());
            return properties;
        }

        @Override
        public Map<String, Double> getMetrics() {
            Map<String, Double> samples = new LinkedHashMap<>();
            for (MetricSample sample : metrics.samples()) {
                String labels = sample.labels().isEmpty() ? "" : "{" + sample.labels() + "}";
                samples.put(sample.name() + labels, sample.value());
            }
            return samples;
        }
    }
}
