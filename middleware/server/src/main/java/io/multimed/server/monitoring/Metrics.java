// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.monitoring;

import static io.micrometer.core.instrument.Metrics.globalRegistry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.multimed.server.communication.RequestListener;
import io.multimed.server.dispatcher.administration.MetricSample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All metrics: those of requests, if they are measured, of the middleware, and of its Java virtual machine. Those of a
 * dispatcher within an application are also in Micrometer's global registry, to which frameworks add the application's
 * registries, with the label {@code database}.
 */
public final class Metrics implements AutoCloseable {
    /** Time after which the states of the nodes are read again for another registry. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PrometheusMeterRegistry own = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    /** {@link #own}; within an application, that and the application's. */
    private final MeterRegistry registry;

    private final JvmGcMetrics collections = new JvmGcMetrics();

    /** Protects {@link #server}; held while the states of the nodes are read, and while the answer is written. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable ServerMetrics server;

    /** The time of the last {@link #refresh}, by {@link System#nanoTime}. Written under the lock. */
    private volatile long refreshed = System.nanoTime();

    /** @param application the database of a dispatcher within an application; empty for a process of its own */
    public Metrics(Optional<String> application) {
        new JvmMemoryMetrics().bindTo(own);
        new JvmThreadMetrics().bindTo(own);
        new ProcessorMetrics().bindTo(own);
        collections.bindTo(own);
        registry = application.<MeterRegistry>map(this::withApplications).orElse(own);
    }

    private CompositeMeterRegistry withApplications(String database) {
        CompositeMeterRegistry both = new CompositeMeterRegistry();
        both.config().commonTags("database", database);
        both.add(own);
        both.add(globalRegistry);
        return both;
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
            server = new ServerMetrics(registry, observed, this::refreshIfOld);
            refresh(); // the meters of the nodes then follow by themselves
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void refresh() {
        refreshed = System.nanoTime();
        ServerMetrics known = server;
        if (known != null) {
            known.refresh();
        }
    }

    /** Reads the states of the nodes again for a registry of the application, which reads when it wants to. */
    private void refreshIfOld() {
        boolean old = System.nanoTime() - refreshed > FRESH_NANOS;
        if (old && !lock.isHeldByCurrentThread() && lock.tryLock()) {
            try {
                refresh();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Returns all metrics in Prometheus' text format. */
    String scrape() {
        lock.lock();
        try {
            refresh();
            return own.scrape();
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
            own.forEachMeter(meter -> add(meter, samples));
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
        if (registry instanceof CompositeMeterRegistry both) {
            both.getMeters().forEach(both::remove); // also from the application's registries
            both.remove(globalRegistry); // which the application closes
        }
        registry.close();
    }
}
