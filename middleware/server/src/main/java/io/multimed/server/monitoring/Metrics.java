// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.monitoring;

import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.multimed.server.communication.RequestListener;
import io.multimed.server.dispatcher.administration.MetricSample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All metrics: those of requests, if they are measured, of the middleware, and of its Java virtual machine. */
public final class Metrics implements AutoCloseable {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collections = new JvmGcMetrics();

    /** Protects {@link #server}; held while the states of the nodes are read, and while the answer is written. */
    private final ReentrantLock lock = new ReentrantLock();

    private @Nullable ServerMetrics server;

    public Metrics() {
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        collections.bindTo(registry);
    }

    /**
     * Returns the listener that measures requests.
     *
     * @param nodes returns the names of all present and former nodes; the index is a node's ordinal
     */
    public RequestListener requests(Supplier<List<String>> nodes) {
        return new RequestMetrics(registry, nodes);
    }

    /** Returns the listener that measures commits and waits for freshness. */
    public PropagationMetrics propagation() {
        return new PropagationMetrics(registry);
    }

    /** Adds the metrics of the middleware, which is completely started. */
    public void observe(MonitoredServer observed) {
        lock.lock();
        try {
            server = new ServerMetrics(registry, observed);
        } finally {
            lock.unlock();
        }
    }

    private void refresh() {
        ServerMetrics known = server;
        if (known != null) {
            known.refresh();
        }
    }

    /** Returns all metrics in Prometheus' text format. */
    String scrape() {
        lock.lock();
        try {
            refresh();
            return registry.scrape();
        } finally {
            lock.unlock();
        }
    }

    /** Returns all metrics, sorted by name and labels, without the buckets of histograms. */
    public List<MetricSample> samples() {
        lock.lock();
        try {
            refresh();
            List<MetricSample> samples = new ArrayList<>();
            registry.forEachMeter(meter -> add(meter, samples));
            samples.sort(Comparator.comparing(MetricSample::name).thenComparing(MetricSample::labels));
            return samples;
        } finally {
            lock.unlock();
        }
    }

    private static void add(Meter meter, List<MetricSample> samples) {
        String name = meter.getId().getName().replace('.', '_');
        String labels =
                meter.getId().getTags().stream().map(Metrics::text).sorted().collect(Collectors.joining(", "));
        List<Measurement> measurements = new ArrayList<>();
        meter.measure().forEach(measurements::add);
        for (Measurement measurement : measurements) {
            String end = measurements.size() == 1
                    ? ""
                    : "_" + measurement.getStatistic().name().toLowerCase(Locale.ROOT);
            samples.add(new MetricSample(name + end, labels, measurement.getValue()));
        }
    }

    private static String text(Tag tag) {
        return tag.getKey() + "=" + tag.getValue();
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
