// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.server.dispatcher.administration.StatusReport;
import io.multimed.server.dispatcher.administration.StatusReport.NodeStatus;
import io.multimed.server.monitoring.MonitoredServer;
import io.multimed.server.node.NamedThreads;
import io.multimed.server.propagation.commit.CommitCounts;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.HdrHistogram.Histogram;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Samples the load every two seconds, on a thread of its own, and keeps the samples of the last ten minutes. */
final class Sampler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sampler.class);
    private static final long PERIOD_SECONDS = 2;
    private static final int MAX_SAMPLES = 300;

    private final MonitoredServer server;
    private final Traffic traffic;
    private final Runnable also;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(new NamedThreads("dashboard-sampler"));

    /** The counters at the end of the last interval. Used by the sampling thread only. */
    private Counters last;

    private final long started = System.currentTimeMillis();
    private long lastNanos = System.nanoTime();
    private long number;

    /** Protects {@link #samples}; held for a few instructions per sample. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();

    private record Counters(
            long satelliteReads, long cacheReads, long masterReads, long updates, CommitCounts commits) {
        static Counters of(MonitoredServer server, StatusReport status) {
            long satellites = 0;
            long master = 0;
            long updates = 0;
            for (NodeStatus node : status.nodes()) {
                updates += node.updates();
                if (node.role().equals("master")) {
                    master += node.reads();
                } else {
                    satellites += node.reads();
                }
            }
            return new Counters(
                    satellites,
                    server.reads().cache().get().hits(),
                    master,
                    updates,
                    server.commits().counts().get());
        }
    }

    /** @param also runs after each sample, on the same thread */
    Sampler(MonitoredServer server, Traffic traffic, Runnable also) {
        this.server = server;
        this.traffic = traffic;
        this.also = also;
        this.last = Counters.of(server, server.status().get());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the task throws no exception
    void start() {
        clock.scheduleAtFixedRate(this::sampleGuarded, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
    }

    private void sampleGuarded() {
        try {
            sample();
            also.run();
        } catch (RuntimeException e) {
            LOG.warn("the load could not be sampled", e);
        }
    }

    /** Ends an interval. */
    private void sample() {
        StatusReport status = server.status().get();
        Counters now = Counters.of(server, status);
        long nanos = System.nanoTime();
        Traffic.Interval interval = traffic.take();
        CommitCounts commits = now.commits.since(last.commits);
        Sample sample = new Sample(
                ++number,
                System.currentTimeMillis(),
                (nanos - lastNanos) / 1e9,
                // a satellite that was removed takes its counters with it
                Math.max(0, now.satelliteReads - last.satelliteReads),
                now.cacheReads - last.cacheReads,
                now.masterReads - last.masterReads,
                Math.max(0, now.updates - last.updates),
                commits.commits(),
                commits.groups(),
                interval.errors(),
                interval.waits(),
                interval.waits() == 0 ? 0 : interval.waitNanos() / 1e6 / interval.waits(),
                all(interval.times()),
                byPlace(interval.times()),
                interval.onMaster(),
                lags(status),
                server.clients().count().getAsInt());
        last = now;
        lastNanos = nanos;
        keep(sample);
    }

    private void keep(Sample sample) {
        lock.lock();
        try {
            samples.add(sample);
            if (samples.size() > MAX_SAMPLES) {
                samples.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns when the samples began, by {@link System#currentTimeMillis}. */
    long started() {
        return started;
    }

    /** Returns the samples with numbers above {@code after}, the oldest first. */
    List<Sample> after(long after) {
        lock.lock();
        try {
            return samples.stream().filter(each -> each.number() > after).toList();
        } finally {
            lock.unlock();
        }
    }

    private static Sample.Times all(Map<Traffic.Place, Histogram> times) {
        Histogram sum = null;
        for (Histogram each : times.values()) {
            if (sum == null) {
                sum = each.copy();
            } else {
                sum.add(each);
            }
        }
        return sum == null ? new Sample.Times(0, 0, 0, 0) : times(sum);
    }

    private static Map<String, Sample.Times> byPlace(Map<Traffic.Place, Histogram> times) {
        Map<String, Sample.Times> all = new TreeMap<>();
        times.forEach((place, histogram) -> all.put(place.name().toLowerCase(Locale.ROOT), times(histogram)));
        return all;
    }

    private static Sample.Times times(Histogram histogram) {
        return histogram.getTotalCount() == 0
                ? new Sample.Times(0, 0, 0, 0)
                : new Sample.Times(
                        histogram.getTotalCount(),
                        histogram.getValueAtPercentile(50) / 1e6,
                        histogram.getValueAtPercentile(99) / 1e6,
                        histogram.getMaxValue() / 1e6);
    }

    private static Map<String, Double> lags(StatusReport status) {
        Map<String, Double> lags = new TreeMap<>();
        status.nodes().stream()
                .filter(node -> node.role().equals("satellite"))
                .forEach(node -> lags.put(node.name(), node.lagMillis()));
        return lags;
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
